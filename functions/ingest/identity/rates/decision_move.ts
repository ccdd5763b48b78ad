import { CHOICES } from './decision_registry.ts';
import type { Move, Size } from './decision_statement.ts';

/**
 * Returns a change as a range of basis points. Where the bank moves in steps, only steps can
 * happen: "50 or more" is then "more than 25", and "1 to 25" is 25. Null when no step is in the
 * range, or when the size is invalid.
 */
export function moveOf(size: Size, step: number | null): Move | null {
  const { from, to } = toSteps(size, step);
  if (to !== null && (to < from || (from === 0 && to > 0))) return null;
  if (from === 0 && to === 0) return { low: 0, high: 0, comparison: 'equal' };
  const cut = size.sign < 0;
  if (to === null) {
    const beyond = step !== null || !size.from_included;
    // In steps, `from` is the first step that counts, so the open end begins after the step before
    // it.
    const edge = step !== null ? from - step : from;
    if (cut) return { low: null, high: -edge || 0, comparison: beyond ? 'below' : 'at_or_below' };
    return { low: edge, high: null, comparison: beyond ? 'above' : 'at_or_above' };
  }
  const comparison = from === to ? 'equal' : 'within';
  return cut ? { low: -to, high: -from, comparison } : { low: from, high: to, comparison };
}

/**
 * Returns the smallest and the largest change that counts, rounded to steps where the bank has
 * them.
 */
function toSteps(size: Size, step: number | null): { from: number; to: number | null } {
  if (step === null || (size.from === 0 && size.to === 0)) return { from: size.from, to: size.to };
  const up = Math.ceil(size.from / step) * step;
  const from = up === size.from && !size.from_included ? up + step : up;
  return { from: Math.max(from, step), to: size.to === null ? null : Math.floor(size.to / step) * step };
}

/**
 * Returns the key of one of the five choices, or a key of its own for another change ("cut_50" next
 * to "cut_more_50", "hike_any").
 */
export function keyOfMove(move: Move): string {
  const choice = choiceOf(move);
  if (choice) return choice.key;
  const cut = (move.high ?? 1) <= 0;
  const [near, far] = cut ? [move.high, move.low] : [move.low, move.high];
  const name = cut ? 'cut' : 'hike';
  const size = Math.abs(near ?? 0);
  if (move.comparison === 'equal') return `${name}_${size}`;
  if (move.comparison === 'within') return `${name}_${size}_to_${Math.abs(far ?? 0)}`;
  if (move.comparison === 'at_or_above' || move.comparison === 'at_or_below') return `${name}_at_least_${size}`;
  return size === 0 ? `${name}_any` : `${name}_more_${size}`;
}

export function choiceOf(move: Move): (typeof CHOICES)[number] | null {
  return (
    CHOICES.find((one) => one.low === move.low && one.high === move.high && one.comparison === move.comparison) ?? null
  );
}

/**
 * Returns "Cut of 50 bp" or "Hike of any size" for a leg that is none of the five choices. The
 * choices have names of their own.
 */
export function nameOfMove(move: Move): string {
  const choice = choiceOf(move);
  if (choice) return choice.name;
  const [kind = '', ...rest] = keyOfMove(move).split('_');
  const size = rest.join(' ').replace('more ', 'more than ');
  return `${kind === 'cut' ? 'Cut' : 'Hike'} of ${size === 'any' ? 'any size' : `${size} bp`}`;
}

/** Sort order, from the largest cut to the largest hike. */
export function orderOfMove(move: Move): number {
  if (move.low === null) return (move.high ?? 0) - 0.5;
  if (move.high === null) return move.low + 0.5;
  return (move.low + move.high) / 2;
}
