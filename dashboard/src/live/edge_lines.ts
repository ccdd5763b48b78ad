import { edgeOfAsks } from './edge_after_fees.ts';
import type { History, Point } from './frames.ts';
import { linesOf } from './history_lines.ts';
import type { MarketTerms } from './market_terms.ts';

/**
 * Epoch seconds and the edge after fees in points. `tradable` is the edge where it is above zero,
 * else null. Null in `edge`: an outcome has no ask on a venue, or no sample.
 */
export type EdgeLines = { t: number[]; edge: (number | null)[]; tradable: (number | null)[] };

const MINUTE_MS = 60_000;

/** A line over more than two days has a sample every five minutes: 10,000 points take too long. */
export function sampleOf({ from, to }: OpenTime): number {
  return to - from > 2 * 24 * 60 * MINUTE_MS ? 5 * MINUTE_MS : MINUTE_MS;
}

/** The edge of the best asks over time, at the fees of each time. */
export function edgeLinesOf(
  keys: readonly string[],
  history: History,
  trails: ReadonlyMap<string, readonly Point[]>,
  terms: Pick<MarketTerms, 'fees'>,
  range: { from: number; to: number },
): EdgeLines {
  const sample = sampleOf(range);
  const all = keys.map((key) => {
    const points = history.series.find((series) => series.outcome === key)?.points ?? [];
    const past = sample === MINUTE_MS ? points : points.filter(({ t }) => t % sample === 0);
    const lines = linesOf(past, trails.get(key) ?? [], range, 3 * sample);
    return { key, lines, places: new Map(lines.t.map((t, at) => [t, at])) };
  });
  const result: EdgeLines = { t: [], edge: [], tradable: [] };
  const times = [...new Set(all.flatMap(({ lines }) => lines.t))].sort((one, other) => one - other);
  for (const t of times) {
    const asks = all.map(({ key, lines, places }) => {
      const at = places.get(t) ?? -1;
      return { key, venue_a: inUsd(lines.venue_a[at]), venue_b: inUsd(lines.venue_b[at]) };
    });
    const { points } = edgeOfAsks(asks, terms, t * 1000);
    result.t.push(t);
    result.edge.push(points);
    result.tradable.push(points !== null && points > 0 ? points : null);
  }
  return result;
}

/** Lines are in cents. */
const inUsd = (cents: number | null | undefined): number | null =>
  cents === null || cents === undefined ? null : cents / 100;

/** For how long the edge was above zero, in ms: each value holds until the next one. */
export function timeAboveZero({ t, edge }: EdgeLines): number {
  let seconds = 0;
  for (let at = 0; at + 1 < t.length; at++) if ((edge[at] ?? 0) > 0) seconds += (t[at + 1] ?? 0) - (t[at] ?? 0);
  return seconds * 1000;
}

/** A time during which an opportunity was open, epoch ms. */
export type OpenTime = { from: number; to: number };

/** The times in a range, cut to it. */
export function openTimesIn(times: readonly OpenTime[], { from, to }: OpenTime): OpenTime[] {
  return times
    .filter((one) => one.to >= from && one.from <= to)
    .map((one) => ({ from: Math.max(one.from, from), to: Math.min(one.to, to) }));
}
