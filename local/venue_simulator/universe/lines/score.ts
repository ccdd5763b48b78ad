import { HOUR } from '../../core/eastern.ts';
import { bell, keyOf, unit, wave } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import type { Scoring } from '../leagues/index.ts';

/** The final points of both sides, in the ticker's order. */
export type Final = { first: number; second: number };

/**
 * The hidden final score of a game and the probabilities of its lines. All come from one drawn
 * score, so they agree with each other.
 */
export type Score = Final & {
  /** The middle strike of the totals, such as 44.5. */
  middle: number;
  /** Expected lead of the first side before the game. */
  lead: number;
  /** Probability that the total is above `line`. */
  totalAbove(line: number): (t: number) => number;
  /** Probability that the first side leads by more than `line`. */
  leadAbove(line: number): (t: number) => number;
  /** Probability that one side alone scores more than `line`. */
  sideAbove(side: 0 | 1, line: number): (t: number) => number;
};

type Game = {
  key: number;
  scoring: Scoring;
  start: number;
  ends: number;
  /** 0, 1, or 2 for a draw. */
  winner: number;
  chances(t: number): readonly number[];
};

export function scoreOf(game: Game): Score {
  const { scoring, start, ends, chances } = game;
  const key = keyOf(game.key, 'score');
  const centre = scoring.unit === 'maps' ? 2.5 : scoring.total + 0.5 * scoring.totalDeviation * bell(key, 1);
  const { lead, total } = drawScore(game, key, centre);
  const played = (t: number) => Math.min(1, Math.max(0, (t - start) / (ends - start))) ** 2;
  const left = (t: number) => Math.sqrt(1 - played(t)) + 0.02;
  const leadAt = (t: number) => played(t) * lead + (1 - played(t)) * expectedLead(chances(t), scoring);
  const drift = (t: number) => centre + 0.12 * scoring.totalDeviation * wave(key, t, 3 * HOUR);
  const totalAt = (t: number) => played(t) * total + (1 - played(t)) * drift(t);
  const { totalDeviation, marginDeviation } = scoring;
  const sideDeviation = Math.hypot(totalDeviation, marginDeviation) / 2;
  return {
    first: (total + lead) / 2,
    second: (total - lead) / 2,
    middle: Math.max(scoring.unit === 'maps' ? 2.5 : 1.5, Math.round(centre) - 0.5),
    lead: expectedLead(chances(start), scoring),
    totalAbove: (line) => (t) => normalBelow((totalAt(t) - line) / (totalDeviation * left(t))),
    leadAbove: (line) => (t) => normalBelow((leadAt(t) - line) / (marginDeviation * left(t))),
    sideAbove: (side, line) => (t) =>
      normalBelow(((totalAt(t) + (side === 0 ? 1 : -1) * leadAt(t)) / 2 - line) / (sideDeviation * left(t))),
  };
}

function drawScore({ scoring, winner }: Game, key: number, centre: number): { lead: number; total: number } {
  const sign = winner === 2 ? 0 : winner === 0 ? 1 : -1;
  if (scoring.unit === 'maps') {
    // Best of three: two maps to none, or two to one.
    const total = unit(key, 4) < 0.5 ? 2 : 3;
    return { lead: sign * (total === 2 ? 2 : 1), total };
  }
  const size = sign === 0 ? 0 : Math.max(1, Math.round(Math.abs(bell(key, 2)) * scoring.marginDeviation));
  const total = Math.max(size, Math.round(centre + 0.8 * scoring.totalDeviation * bell(key, 3)), 0);
  return { lead: sign * size, total: (total - size) % 2 === 0 ? total : total + 1 };
}

/**
 * The lead that a win probability implies, by the normal distribution. Its inverse is approximated
 * by logit / 1.702.
 */
function expectedLead(chances: readonly number[], scoring: Scoring): number {
  const [one = 0.5, other = 0.5] = chances;
  const share = Math.min(0.995, Math.max(0.005, one / (one + other)));
  return (scoring.marginDeviation * Math.log(share / (1 - share))) / 1.702;
}
