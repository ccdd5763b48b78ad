import { unit } from '../../core/random.ts';
import type { Scoring } from '../leagues/index.ts';
import type { Score } from './score.ts';

/**
 * The lines that each venue lists of a game. `side` gives points in a spread and scores in a team
 * total.
 */
export type SideLine = { side: 0 | 1; line: number };
export type LinePlan = {
  total: { a: number[]; main: number; more: number[] };
  spread: { a: SideLine[]; main: SideLine; more: SideLine[] } | null;
  teamTotal: { a: SideLine[]; more: SideLine[] } | null;
};

export function planOf(key: number, scoring: Scoring, score: Score): LinePlan {
  const { step } = scoring;
  const middle = score.middle;
  if (scoring.unit === 'maps') return { total: { a: [2.5], main: 2.5, more: [] }, spread: null, teamTotal: null };
  const positive = (lines: readonly number[]) => lines.filter((line) => line > 0);
  // With a step above 1, venue B's main line sometimes falls between two strikes of venue A.
  const between = step > 1 && unit(key, 31) < 0.3 ? 1 : 0;
  const total = {
    a: positive([-2, -1, 0, 1, 2].map((steps) => middle + steps * step)),
    main: middle + between,
    more: positive([middle - step, middle + step, middle + 2 * step + (step > 1 ? 1 : 0)]),
  };
  const favourite: 0 | 1 = score.lead >= 0 ? 0 : 1;
  const other: 0 | 1 = favourite === 0 ? 1 : 0;
  const strikes = step > 1 ? [2.5, 5.5, 8.5] : [1.5, 2.5];
  const nearest =
    [...strikes].sort((x, y) => Math.abs(x - Math.abs(score.lead)) - Math.abs(y - Math.abs(score.lead)))[0] ?? 1.5;
  const spread = scoring.series.spread && {
    a: strikes.flatMap((line): SideLine[] => [
      { side: 0, line },
      { side: 1, line },
    ]),
    main: { side: favourite, line: nearest + (step > 1 && unit(key, 32) < 0.25 ? 1 : 0) },
    more: [
      { side: favourite, line: strikes.find((line) => line !== nearest) ?? 1.5 },
      { side: other, line: strikes[0] ?? 1.5 },
    ],
  };
  const own = (side: 0 | 1) => Math.max(0.5, Math.round((middle + (side === 0 ? 1 : -1) * score.lead) / 2) - 0.5);
  const teamTotal = scoring.series.teamTotal && {
    a: ([0, 1] as const).flatMap((side): SideLine[] => [
      { side, line: own(side) },
      { side, line: own(side) + step },
    ]),
    more: ([0, 1] as const).map((side): SideLine => ({ side, line: own(side) })),
  };
  return { total, spread: spread || null, teamTotal: teamTotal || null };
}
