import type { KeyRow } from './types.ts';

/** A row of view `api.my_key_days`. */
export type KeyDay = { key_id: string; day: string; requests: number };

/** One row of the table. `counts` has a number for each day. */
export type KeyDayRow = { id: string; name: string; note: string; counts: number[]; sum: number };

export type KeyDayTable = { days: string[]; rows: KeyDayRow[]; totals: number[]; sum: number };

/** Requests of signed-in members, which have no key. */
const DASHBOARD = '00000000-0000-0000-0000-000000000000';
const DAYS = 30;
/** Keys with a row of their own. The others share one row. */
const ROWS = 20;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The 30 days up to `now`, or up to the newest row where the clock of the browser is behind. */
function daysUpTo(days: readonly KeyDay[], now: number): string[] {
  const newest = days.reduce((last, { day }) => (day > last ? day : last), dayOf(now));
  return Array.from({ length: DAYS }, (_, at) => dayOf(Date.parse(newest) - (DAYS - 1 - at) * 86_400_000));
}

/** The requests of 30 days by key, the busiest key first; the dashboard is last. */
export function keyDayTable(found: readonly KeyDay[], keys: readonly KeyRow[], now: number): KeyDayTable {
  const days = daysUpTo(found, now);
  const byKey = new Map<string, number[]>();
  for (const { key_id, day, requests } of found) {
    const counts = byKey.get(key_id) ?? days.map(() => 0);
    const at = days.indexOf(day);
    if (at >= 0) counts[at] = (counts[at] ?? 0) + Number(requests);
    byKey.set(key_id, counts);
  }
  const names = new Map(keys.map((key) => [key.key_id, key]));
  const all = [...byKey].map(([id, counts]): KeyDayRow => {
    const key = names.get(id);
    return { id, name: key?.name ?? 'A deleted key', note: key?.prefix ?? '', counts, sum: sumOf(counts) };
  });
  const ofKeys = all.filter(({ id, sum }) => id !== DASHBOARD && sum > 0).sort((one, other) => other.sum - one.sum);
  const rows = ofKeys.slice(0, ROWS);
  const others = ofKeys.slice(ROWS);
  if (others.length > 0) rows.push(joined('others', `${others.length} other keys`, others, days));
  const dashboard = all.filter(({ id, sum }) => id === DASHBOARD && sum > 0);
  if (dashboard.length > 0) rows.push(joined(DASHBOARD, 'This dashboard', dashboard, days));
  const totals = columnSums(rows, days);
  return { days, rows, totals, sum: sumOf(totals) };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const columnSums = (rows: readonly KeyDayRow[], days: readonly string[]): number[] =>
  days.map((_, at) => sumOf(rows.map((row) => row.counts[at] ?? 0)));

function joined(id: string, name: string, rows: readonly KeyDayRow[], days: readonly string[]): KeyDayRow {
  const counts = columnSums(rows, days);
  return { id, name, note: '', counts, sum: sumOf(counts) };
}
