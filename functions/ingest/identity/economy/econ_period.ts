import { isoDate } from '../text/eastern.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns the month in which a period of "05", "Q1" or "W05-16" ends. */
function lastMonth(period: string): number {
  return period.startsWith('Q') ? Number(period.slice(1)) * 3 : Number(period.replace('W', '').slice(0, 2));
}

/** Returns "2026-05", "2026-Q1" or "2026-05-16". Null for a day that does not exist. */
export function toPeriod(year: number, period: string): string | null {
  if (period.startsWith('W')) return isoDate(year, lastMonth(period), Number(period.slice(4)));
  return period.startsWith('Q') ? `${year}-${period}` : `${year}-${two(lastMonth(period))}`;
}

/**
 * Returns the year of a period whose figures are published on `released` or shortly before. The
 * figures of December are published in January.
 */
export function yearBefore(period: string, released: string): number | null {
  const at = new Date(released);
  if (Number.isNaN(at.getTime())) return null;
  return at.getUTCMonth() + 1 >= lastMonth(period) ? at.getUTCFullYear() : at.getUTCFullYear() - 1;
}

/**
 * Returns the year of a period that is listed now and named without a year: a recent or a future
 * one.
 */
export function yearAround(period: string, now: string): number | null {
  const at = new Date(now);
  if (Number.isNaN(at.getTime())) return null;
  const ahead = lastMonth(period) - (at.getUTCMonth() + 1);
  return at.getUTCFullYear() + (ahead > 8 ? -1 : ahead < -3 ? 1 : 0);
}

/** Returns the quarter whose first figures are published in a month: Q4 in January, Q1 in April. */
export function quarterReleasedIn(year: number, month: number): string {
  const quarter = Math.floor((month - 1) / 3);
  return quarter === 0 ? `${year - 1}-Q4` : `${year}-Q${quarter}`;
}
