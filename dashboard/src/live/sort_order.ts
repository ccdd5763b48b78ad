import type { Market } from './frames.ts';
import { type Filter, type FilterContext, passes } from './market_filter.ts';

export type SortKey = 'edge' | 'market' | 'gap' | 'start' | 'age' | 'profit';
export type Sort = { by: SortKey; direction: 'ascending' | 'descending' };

/** The direction of the first press on a title. */
const firstDirection: Record<SortKey, Sort['direction']> = {
  edge: 'descending',
  market: 'ascending',
  gap: 'descending',
  start: 'ascending',
  age: 'ascending',
  profit: 'descending',
};

export const DEFAULT_SORT: Sort = { by: 'edge', direction: 'descending' };

/** The sort after a press on the title of a column: again turns it around. */
export function sortAfterPress(sort: Sort, by: SortKey): Sort {
  if (sort.by !== by) return { by, direction: firstDirection[by] };
  return { by, direction: sort.direction === 'ascending' ? 'descending' : 'ascending' };
}

/** `edge` is the default and is not in the address; `-gap` is descending. */
export function sortOfText(text: string | null): Sort {
  const by = (text ?? '').replace(/^-/, '');
  if (!Object.hasOwn(firstDirection, by)) return DEFAULT_SORT;
  return { by: by as SortKey, direction: text?.startsWith('-') ? 'descending' : 'ascending' };
}

export const textOfSort = ({ by, direction }: Sort): string => `${direction === 'descending' ? '-' : ''}${by}`;

type Value = number | string | null;

function sortValueOf(market: Market, by: SortKey, { figures }: FilterContext): Value {
  switch (by) {
    case 'edge':
      return figures.edgeOf(market).points;
    case 'profit':
      return figures.profitOf(market);
    case 'gap':
      return market.spread_pts;
    case 'market':
      return market.title.toLowerCase();
    case 'start':
      return timeOf(market.start_time);
    case 'age':
      // The youngest book first: its age is the smallest.
      return negated(oldestBookOf(market));
  }
}

const timeOf = (at: string | null): number | null => (at === null ? null : Date.parse(at));

const negated = (value: number | null): number | null => (value === null ? null : -value);

/** When the older one of both books was received, epoch ms. */
function oldestBookOf({ books_read_at }: Market): number | null {
  const [a, b] = [timeOf(books_read_at?.venue_a ?? null), timeOf(books_read_at?.venue_b ?? null)];
  return a === null || b === null ? null : Math.min(a, b);
}

function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  return (one ?? 0) < (other ?? 0) ? -1 : 1;
}

/**
 * The order of the list. Rows without a value are last in both directions. Ties are broken by the
 * gap and the id, so the order is total.
 */
function sorted(markets: readonly Market[], sort: Sort, context: FilterContext): Market[] {
  const sign = sort.direction === 'descending' ? -1 : 1;
  // Each value is computed once, not for each comparison.
  const rows = markets.map((market) => ({ market, value: sortValueOf(market, sort.by, context) }));
  rows.sort((one, other) => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1;
    return sign * compare(one.value, other.value) || byGap(one.market, other.market);
  });
  return rows.map(({ market }) => market);
}

function byGap(one: Market, other: Market): number {
  return (other.spread_pts ?? -1) - (one.spread_pts ?? -1) || (one.id < other.id ? -1 : 1);
}

export function sortedIds(markets: Iterable<Market>, filter: Filter, sort: Sort, context: FilterContext): string[] {
  const rows = [...markets].filter((market) => passes(market, filter, context));
  return sorted(rows, sort, context).map((market) => market.id);
}

/**
 * The displayed order. Rows keep their places while prices move, so that no row moves away under
 * the pointer. New markets are added at the end. A filter change or “Sort again” sorts the list.
 */
export function stableOrder(
  current: readonly string[],
  markets: ReadonlyMap<string, Market>,
  filter: Filter,
  sort: Sort,
  context: FilterContext,
): string[] {
  const kept = current.filter((id) => markets.has(id));
  const known = new Set(kept);
  const added = [...markets.values()].filter((market) => !known.has(market.id));
  return [...kept, ...sortedIds(added, filter, sort, context)];
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
