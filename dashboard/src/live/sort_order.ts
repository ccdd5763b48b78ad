import type { Market } from './frames.ts';

export type Filter = { search: string; category: string; sport: string; signal: '' | 'arb' | 'spread' };

export const NO_FILTER: Filter = { search: '', category: '', sport: '', signal: '' };

const listed = new Set(['open', 'live', 'resolving']);

export function passes(market: Market, { search, category, sport, signal }: Filter): boolean {
  if (!listed.has(market.status)) return false;
  if (category && market.category !== category) return false;
  if (sport && market.sport !== sport) return false;
  if (signal && market.signal !== signal) return false;
  return search === '' || matches(market, search.toLowerCase());
}

/** Every word somewhere in what a person would call the market by. */
function matches(market: Market, search: string): boolean {
  const names = market.outcomes.map((outcome) => outcome.name).join(' ');
  const text = `${market.title} ${market.competition ?? ''} ${market.sport ?? ''} ${market.location ?? ''} ${market.asset ?? ''} ${names}`;
  const held = text.toLowerCase();
  return search.split(/\s+/).every((word) => held.includes(word));
}

/** Widest gap first; unpriced last; ties by id, so that the order is total. */
export function bySpread(one: Market, other: Market): number {
  return (other.spread_pts ?? -1) - (one.spread_pts ?? -1) || (one.id < other.id ? -1 : 1);
}

export function sortedIds(markets: Iterable<Market>, filter: Filter): string[] {
  const rows = [...markets].filter((market) => passes(market, filter));
  return rows.sort(bySpread).map((market) => market.id);
}

/**
 * The order that the reader sees. It is held while prices move, so that nothing jumps away under a pointer; what is new comes at the end.
 * Asked anew by a filter, by the reader, or when there was none.
 */
export function stableOrder(held: readonly string[], markets: ReadonlyMap<string, Market>, filter: Filter): string[] {
  const kept = held.filter((id) => markets.has(id));
  const known = new Set(kept);
  const added = [...markets.values()].filter((market) => !known.has(market.id) && passes(market, filter));
  return [...kept, ...added.sort(bySpread).map((market) => market.id)];
}

/** How many rows would stand elsewhere if the order were made now. */
export function countMovedRows(held: readonly string[], now: readonly string[]): number {
  let moved = Math.abs(held.length - now.length);
  for (let at = 0; at < Math.min(held.length, now.length); at++) if (held[at] !== now[at]) moved++;
  return moved;
}

/** The outcomes that a row has room for: all of them in their order, or those with the widest gaps, in their order still. */
export function widestOutcomes(market: Market, room: number): Market['outcomes'] {
  if (market.outcomes.length <= room) return market.outcomes;
  const widest = [...market.outcomes].sort((one, other) => spreadOf(other) - spreadOf(one)).slice(0, room);
  return market.outcomes.filter((outcome) => widest.includes(outcome));
}

/** The gap of one outcome in points; -1 without both asks. Tick sizes are exact in 1e-6, which is where floats are rounded away. */
export function spreadOf({ venue_a, venue_b }: { venue_a: number | null; venue_b: number | null }): number {
  if (venue_a === null || venue_b === null) return -1;
  return Math.round(Math.abs(venue_a - venue_b) * 1e6) / 1e4;
}
