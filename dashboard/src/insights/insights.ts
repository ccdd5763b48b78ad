import { duration } from '../components/format.ts';

export type LifeClass = { up_to_s: number | null; closed: number };
export type HourCount = { league: string; hour: number; opened: number };
export type FeedDelay = { venue: 'venue_a' | 'venue_b'; at: string; p50_ms: number; p99_ms: number };

/** The result of `api.read_insights`. `as_of` and `since` are null before the first snapshot. */
export type Insights = {
  as_of: string | null;
  since: string | null;
  opportunities: { closed: number; median_s: number | null; p90_s: number | null; lives: LifeClass[] };
  hours: HourCount[];
  feed_delays: FeedDelay[];
};

/** 0–1 s, 1–5 s, … over 30 min */
export function className({ up_to_s }: LifeClass, before: LifeClass | undefined): string {
  const from = before?.up_to_s ?? 0;
  if (up_to_s === null) return `over ${duration(from * 1000)}`;
  return from === 0 ? `up to ${duration(up_to_s * 1000)}` : `to ${duration(up_to_s * 1000)}`;
}

export type League = { league: string; hours: number[]; sum: number };

/** Leagues with a row of their own. The others share one row. */
const ROWS = 12;

/** The counts by league and hour of the day, the busiest league first. */
export function leaguesOf(counts: readonly HourCount[]): League[] {
  const found = new Map<string, League>();
  for (const { league, hour, opened } of counts) {
    const row = found.get(league) ?? { league, hours: Array<number>(24).fill(0), sum: 0 };
    row.hours[hour] = (row.hours[hour] ?? 0) + opened;
    row.sum += opened;
    found.set(league, row);
  }
  const rows = [...found.values()].sort((one, other) => other.sum - one.sum || (one.league < other.league ? -1 : 1));
  if (rows.length <= ROWS + 1) return rows;
  const others = rows.slice(ROWS);
  const hours = Array.from({ length: 24 }, (_, hour) => others.reduce((sum, row) => sum + (row.hours[hour] ?? 0), 0));
  return [
    ...rows.slice(0, ROWS),
    { league: `${others.length} others`, hours, sum: others.reduce((sum, row) => sum + row.sum, 0) },
  ];
}

const DAY_MS = 24 * 3_600_000;
const GAP_MS = 15 * 60_000;

export type DelayPoint = { x: number; ms: number };

/**
 * One line as pieces: a gap of 15 minutes ends a piece, because no delay is known in it. x is the
 * share of the last 24 hours.
 */
export function piecesOf(
  delays: readonly FeedDelay[],
  venue: FeedDelay['venue'],
  which: 'p50_ms' | 'p99_ms',
  now: number,
): DelayPoint[][] {
  const pieces: DelayPoint[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const delay of delays) {
    const at = Date.parse(delay.at);
    if (delay.venue !== venue || at < now - DAY_MS || at > now) continue;
    if (at - last > GAP_MS) pieces.push([]);
    pieces.at(-1)?.push({ x: (at - now + DAY_MS) / DAY_MS, ms: delay[which] });
    last = at;
  }
  return pieces;
}

/** 12 ms, 1.2 s, 75 s */
export const delayText = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);

const MIN_MS = 1;

/** The height of a delay on a logarithmic axis from 1 ms to `most`, from 0 to 1. */
export const heightOf = (ms: number, most: number): number =>
  Math.log(Math.max(ms, MIN_MS) / MIN_MS) / Math.log(Math.max(most, 10) / MIN_MS);
