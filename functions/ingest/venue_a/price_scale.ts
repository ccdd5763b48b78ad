import { Book, complement, type Side } from '../books/book.ts';

/**
 * In whose prices is the NO side written? The socket is asked for YES prices by name, but the venue has announced to flip the default and to
 * drop the flag (venues.md A6), and a book read in the wrong scale looks like any other: an ask of 0.45 becomes one of 0.55. REST has
 * always written NO prices, so books of both, read at nearly the same moment, tell.
 *
 * - as_read  some books agree as they were read, and none agrees the other way round
 * - other    the other way round, for all that say anything
 * - mixed    some so, some so: nothing of it can be believed
 * - nothing  no book says anything: empty, symmetrical around 0.50, or moved in between
 */
export type PriceScale = 'as_read' | 'other' | 'mixed' | 'nothing';

/** So much of a side must be the same level for level, size included; books move a level or two while REST answers. */
const MIN_SHARED = 0.5;
/** And the other reading at most this part of it: near 0.50 the two overlap. */
const MAX_OTHER_SHARE = 0.5;

export function comparePriceScale(pairs: readonly { ownBook: Book; restBook: Book }[]): PriceScale {
  let asRead = 0;
  let other = 0;
  for (const { ownBook, restBook } of pairs) {
    const same = sharedPart(ownBook.asks, restBook.asks);
    const inverted = sharedPart(invertPriceScale(ownBook).asks, restBook.asks);
    if (same >= MIN_SHARED && inverted <= same * MAX_OTHER_SHARE) asRead += 1;
    if (inverted >= MIN_SHARED && same <= inverted * MAX_OTHER_SHARE) other += 1;
  }
  if (asRead > 0 && other > 0) return 'mixed';
  if (asRead > 0) return 'as_read';
  return other > 0 ? 'other' : 'nothing';
}

/** The same book with its NO side read in the other scale. */
export function invertPriceScale(book: Book): Book {
  const inverted = new Book();
  for (const [at, price] of book.bids.prices.entries()) inverted.bids.set(price, book.bids.sizes[at] ?? 0);
  for (const [at, price] of book.asks.prices.entries()) inverted.asks.set(complement(price), book.asks.sizes[at] ?? 0);
  return inverted;
}

/** The part of two sides that is the same in price and size: 0 where one of them is empty. */
function sharedPart(a: Side, b: Side): number {
  let same = 0;
  for (const [at, price] of a.prices.entries()) if (b.sizeAt(price) === a.sizes[at]) same += 1;
  return a.prices.length + b.prices.length === 0 ? 0 : same / Math.max(a.prices.length, b.prices.length);
}
