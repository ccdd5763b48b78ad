import { useRef } from 'preact/hooks';
import type { Market, Point } from './frames.ts';

/** Points kept per outcome: one hour at one point a second. */
const MAX_POINTS = 3600;

type PriceTrail = { id: string; seen: Market | undefined; at: number; points: Map<string, readonly Point[]> };

/**
 * The prices of a market since its page opened, at most one point a second. History ends some
 * minutes ago; the trail continues it to now.
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
