import { HOUR, MINUTE, SECOND } from '../core/eastern.ts';
import { unit, wave } from '../core/random.ts';

/**
 * Hidden probabilities: smooth bounded walks on the log-odds. Each is a pure function of the time.
 */

function softmax(logits: readonly number[]): number[] {
  const top = Math.max(...logits);
  const weights = logits.map((value) => Math.exp(value - top));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** Caches the last result, because all contracts of an event ask for the same time. */
function memoized(chances: (t: number) => number[]): (t: number) => number[] {
  let at = Number.NaN;
  let last: number[] = [];
  return (t) => {
    if (t !== at) {
      last = chances(t);
      at = t;
    }
    return last;
  };
}

/** Slow drift before the start. In play: swings that fade while the winner emerges. */
export function gameChances(key: number, base: readonly number[], start: number, ends: number, winner: number) {
  return memoized((t) => {
    const played = Math.min(1, Math.max(0, (t - start) / (ends - start)));
    const swing = played > 0 ? 1.5 * Math.sin(Math.PI * played) : 0;
    const decided = 7 * played ** 3;
    const logits = base.map((value, i) => {
      const own = key + i * 7919;
      let logit =
        value +
        0.16 * wave(own, t, 7 * HOUR) +
        0.07 * wave(own ^ 1, t, 50 * MINUTE) +
        0.035 * wave(own ^ 2, t, 4 * MINUTE);
      if (played > 0)
        logit +=
          swing *
          (0.55 * wave(own ^ 3, t, 14 * MINUTE) +
            0.25 * wave(own ^ 4, t, 2 * MINUTE) +
            0.08 * wave(own ^ 5, t, 25 * SECOND));
      return i === winner ? logit + decided : logit;
    });
    return softmax(logits);
  });
}

/** Probabilities of a question without play, such as an outright or a rate decision. */
export function fieldChances(key: number, base: readonly number[]) {
  return memoized((t) =>
    softmax(
      base.map(
        (value, i) =>
          value + 0.12 * wave(key + i * 104_729, t, 9 * HOUR) + 0.04 * wave((key ^ 9) + i * 104_729, t, 20 * MINUTE),
      ),
    ),
  );
}

/** Draws the winner by the opening probabilities. */
export function drawWinner(key: number, base: readonly number[]): number {
  let rest = unit(key, 99);
  const chances = softmax(base);
  for (let i = 0; i < chances.length; i++) {
    rest -= chances[i] as number;
    if (rest < 0) return i;
  }
  return chances.length - 1;
}

/** P(X <= z) for a standard normal (Abramowitz and Stegun 7.1.26; error below 1.5e-7). */
export function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const k = 1 / (1 + 0.3275911 * x);
  const tail =
    ((((1.061405429 * k - 1.453152027) * k + 1.421413741) * k - 0.284496736) * k + 0.254829592) * k * Math.exp(-x * x);
  return z >= 0 ? 1 - tail / 2 : tail / 2;
}
