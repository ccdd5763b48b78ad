import { MONTHS } from '../../core/eastern.ts';
import type { Moments } from '../question.ts';
import { type Bucket, type Indicator, type Period, shortMonth } from './indicators.ts';

/** One print of an indicator: what will be published, and what every statement about it is worth. */
export type Release = {
  seed: number;
  indicator: Indicator;
  period: Period;
  moments: Moments;
  /** The value that is published. */
  value: number;
  centre: number;
  within(bucket: Bucket): (t: number) => number;
};

export const periodTicker = ({ year, month }: Period): string =>
  `${String(year).slice(2)}${(MONTHS[month - 1] ?? '').toUpperCase()}`;
export const inPeriod = (indicator: Indicator, period: Period): string =>
  indicator.period === 'quarter' ? `Q${period.quarter} ${period.year}` : shortMonth(period);

/** A tail, points or ranges, a tail. Points stand on the grid; ranges begin where the last one ended. */
export function bucketsOf({ points, step, grid }: Indicator, centre: number): Bucket[] {
  const round = (value: number) => Math.round(value * 10) / 10;
  if (points) {
    const inner = [-1, 0, 1].map((i) => round(centre + i * grid));
    const single = inner.map((point) => ({ low: point, high: point }));
    return [{ low: null, high: round(centre - 2 * grid) }, ...single, { low: round(centre + 2 * grid), high: null }];
  }
  const edges = [-2, -1, 0, 1, 2].map((i) => round(centre + i * step));
  const ranges = edges.slice(0, -1).map((low, i) => ({ low, high: edges[i + 1] ?? low }));
  return [{ low: null, high: edges[0] ?? 0 }, ...ranges, { low: edges.at(-1) ?? 0, high: null }];
}

export function holds({ points }: Indicator, { low, high }: Bucket, value: number): boolean {
  return (low === null || value >= low) && (high === null || (points ? value <= high : value < high));
}
