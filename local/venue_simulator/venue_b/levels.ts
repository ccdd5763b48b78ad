import type { Ladder } from '../books/ladder.ts';

/** Best level last on both sides (venues.md B3). */
export function levelsJson(levels: Ladder['bids']): { price: string; size: string }[] {
  return levels.map(([p, s]) => ({ price: String(p / 10_000), size: String(s / 100) })).reverse();
}
