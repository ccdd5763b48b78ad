import { MONTHS } from '../../core/eastern.ts';
import type { Moments } from '../question.ts';
import { type Bucket, type Indicator, type Period, shortMonth } from './indicators.ts';

/**
 * One release of an indicator: the value that will be published, and the probability of every
 * range.
 */
export type Release = {
  seed: number;
  indicator: Indicator;
  period: Period;
  moments: Moments;
  /** The published value. */
  value: number;
  centre: number;
  within(bucket: Bucket): (t: number) => number;
};

export const periodTicker = ({ year, month }: Period): string =>
  `${String(year).slice(2)}${(MONTHS[month - 1] ?? '').toUpperCase()}`;
export const inPeriod = (indicator: Indicator, period: Period): string =>
  indicator.period === 'quarter' ? `Q${period.quarter} ${period.year}` : shortMonth(period);

/**
 * A tail, single values or ranges, and a tail. Each range begins at the end of the previous one.
 */
export function bucketsOf({ points, step, precision }: Indicator, centre: number): Bucket[] {
  const round = (value: number) => Math.round(value * 10) / 10;
  if (points) {
    const inner = [-1, 0, 1].map((i) => round(centre + i * precision));
    const single = inner.map((point) => ({ low: point, high: point }));
    return [
      { low: null, high: round(centre - 2 * precision) },
      ...single,
      { low: round(centre + 2 * precision), high: null },
    ];
  }
  const edges = [-2, -1, 0, 1, 2].map((i) => round(centre + i * step));
  const ranges = edges.slice(0, -1).map((low, i) => ({ low, high: edges[i + 1] ?? low }));
  return [{ low: null, high: edges[0] ?? 0 }, ...ranges, { low: edges.at(-1) ?? 0, high: null }];
}

export function contains({ points }: Indicator, { low, high }: Bucket, value: number): boolean {
  return (low === null || value >= low) && (high === null || (points ? value <= high : value < high));
}
