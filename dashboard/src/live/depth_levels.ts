import type { MarketDetail } from './frames.ts';

type Outcome = MarketDetail['outcomes'][number];
type Book = Outcome['venue_a_book'] | Outcome['venue_b_book'];

/** One level of a side. `size`: contracts, null where unknown. */
export type DepthLevel = { side: 'ask' | 'bid'; size: number | null };

/** A price in USD with what each venue offers (ask) or wants (bid) at it. */
export type DepthRow = { price: number; venue_a: DepthLevel | null; venue_b: DepthLevel | null };

/** The levels of both books of an outcome, highest price first. */
export function depthRowsOf({ venue_a_book, venue_b_book }: Outcome): DepthRow[] {
  const rows = new Map<number, DepthRow>();
  const add = (venue: 'venue_a' | 'venue_b', price: number, level: DepthLevel) => {
    const key = Math.round(price * 1e6);
    const row = rows.get(key) ?? { price, venue_a: null, venue_b: null };
    rows.set(key, { ...row, [venue]: level });
  };
  for (const [venue, book] of [
    ['venue_a', venue_a_book],
    ['venue_b', venue_b_book],
  ] as const)
    for (const { price, ...level } of levelsOf(book)) add(venue, price, level);
  return [...rows.values()].sort((one, other) => other.price - one.price);
}

/** All levels that the book has; without `levels`, its best ask and its best bid. */
function levelsOf(book: Book): (DepthLevel & { price: number })[] {
  if (!book) return [];
  const asks = book.levels?.asks ?? (book.ask === null ? [] : [{ price: book.ask, size: book.depth }]);
  const bids = book.levels?.bids ?? (book.bid === null ? [] : [{ price: book.bid, size: book.bid_depth }]);
  return [
    ...asks.map(({ price, size }) => ({ price, size, side: 'ask' as const })),
    ...bids.map(({ price, size }) => ({ price, size, side: 'bid' as const })),
  ];
}

/** The largest size of the rows, so that the bars of an outcome have one scale. Zero: no size. */
export function largestSize(rows: readonly DepthRow[]): number {
  return Math.max(0, ...rows.flatMap(({ venue_a, venue_b }) => [venue_a?.size ?? 0, venue_b?.size ?? 0]));
}
