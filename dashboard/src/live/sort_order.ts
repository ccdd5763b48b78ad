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

/**
 * Whether each search word occurs in the title, competition, sport, location, asset or an outcome
 * name.
 */
function matches(market: Market, search: string): boolean {
  const names = market.outcomes.map((outcome) => outcome.name).join(' ');
  const text = `${market.title} ${market.competition ?? ''} ${market.sport ?? ''} ${market.location ?? ''} ${market.asset ?? ''} ${names}`;
  const haystack = text.toLowerCase();
  return search.split(/\s+/).every((word) => haystack.includes(word));
}

/**
 * Widest spread first, markets without a price last. Ties are broken by id, so the order is total.
 */
export function bySpread(one: Market, other: Market): number {
  return (other.spread_pts ?? -1) - (one.spread_pts ?? -1) || (one.id < other.id ? -1 : 1);
}

export function sortedIds(markets: Iterable<Market>, filter: Filter): string[] {
  const rows = [...markets].filter((market) => passes(market, filter));
  return rows.sort(bySpread).map((market) => market.id);
}

/**
 * The displayed order. Rows keep their places while prices move, so that no row moves away under
 * the pointer. New markets are added at the end. A filter change or “Sort again” sorts the list.
 */
export function stableOrder(
  current: readonly string[],
  markets: ReadonlyMap<string, Market>,
  filter: Filter,
): string[] {
  const kept = current.filter((id) => markets.has(id));
  const known = new Set(kept);
  const added = [...markets.values()].filter((market) => !known.has(market.id) && passes(market, filter));
  return [...kept, ...added.sort(bySpread).map((market) => market.id)];
}

/** How many rows would move if the list were sorted now. */
export function countMovedRows(current: readonly string[], sorted: readonly string[]): number {
  let moved = Math.abs(current.length - sorted.length);
  for (let at = 0; at < Math.min(current.length, sorted.length); at++) if (current[at] !== sorted[at]) moved++;
  return moved;
}

/** At most `maxOutcomes` outcomes, those with the widest spreads, in the order of the market. */
export function widestOutcomes(market: Market, maxOutcomes: number): Market['outcomes'] {
  if (market.outcomes.length <= maxOutcomes) return market.outcomes;
  const widest = [...market.outcomes].sort((one, other) => spreadOf(other) - spreadOf(one)).slice(0, maxOutcomes);
  return market.outcomes.filter((outcome) => widest.includes(outcome));
}

/**
 * The spread of an outcome in points; -1 without both asks. Prices are multiples of 1e-6, so
 * rounding removes float error.
 */
export function spreadOf({ venue_a, venue_b }: { venue_a: number | null; venue_b: number | null }): number {
  if (venue_a === null || venue_b === null) return -1;
  return Math.round(Math.abs(venue_a - venue_b) * 1e6) / 1e4;
}
