import { Book, complement, type Side } from '../books/book.ts';

/**
 * Whether the socket quotes NO bids as YES prices. The feed asks for YES prices, but the venue has
 * announced to change the default and to drop the flag (venues.md A6). A book in the wrong scale
 * looks valid: an ask of 0.45 becomes 0.55. REST has always quoted NO prices, so the comparison of
 * both books, read at nearly the same time, decides.
 * - as_read: some books match as they were read, and none matches inverted
 * - other: some books match inverted, and none matches as it was read
 * - mixed: some match as read and some inverted, so no book may be used
 * - nothing: no book decides: empty, symmetrical around 0.50, or changed in between
 */
export type PriceScale = 'as_read' | 'other' | 'mixed' | 'nothing';

/**
 * Share of the levels that must be equal, size included. A book changes by a level or two while
 * REST answers.
 */
const MIN_SHARED = 0.5;
/** The inverted book may match at most this share of that. Near 0.50 the two scales overlap. */
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

/** The same book with its NO side in the other scale. */
export function invertPriceScale(book: Book): Book {
  const inverted = new Book();
  for (const [at, price] of book.bids.prices.entries()) inverted.bids.set(price, book.bids.sizes[at] ?? 0);
  for (const [at, price] of book.asks.prices.entries()) inverted.asks.set(complement(price), book.asks.sizes[at] ?? 0);
  return inverted;
}

/** Share of the levels that are equal in price and size. 0 when one side is empty. */
function sharedPart(a: Side, b: Side): number {
  let same = 0;
  for (const [at, price] of a.prices.entries()) if (b.sizeAt(price) === a.sizes[at]) same += 1;
  return a.prices.length + b.prices.length === 0 ? 0 : same / Math.max(a.prices.length, b.prices.length);
}
