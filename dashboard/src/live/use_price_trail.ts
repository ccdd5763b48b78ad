import { useRef } from 'preact/hooks';
import type { Market, Point } from './frames.ts';

/** Points kept of each outcome; at one a second that is an hour. */
const MAX_POINTS = 3600;

type PriceTrail = { id: string; seen: Market | undefined; at: number; points: Map<string, readonly Point[]> };

/**
 * What has been seen of a market since its page was opened: history stands some minutes back, the trail goes on to this moment. At most
 * one point a second: a picture shows no more.
 */
export function usePriceTrail(market: Market | undefined, id: string): ReadonlyMap<string, readonly Point[]> {
  const kept = useRef<PriceTrail>({ id, seen: undefined, at: 0, points: new Map() });
  if (kept.current.id !== id) kept.current = { id, seen: undefined, at: 0, points: new Map() };
  const mine = kept.current;
  if (!market || market === mine.seen) return mine.points;
  const t = Date.parse(market.priced_at);
  if (!(t >= mine.at + 1000)) return mine.points;
  mine.seen = market;
  mine.at = t;
  const next = new Map(mine.points);
  for (const { key, venue_a, venue_b } of market.outcomes) {
    next.set(key, [...(next.get(key) ?? []).slice(1 - MAX_POINTS), { t, venue_a, venue_b }]);
  }
  mine.points = next;
  return next;
}
