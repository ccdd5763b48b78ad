import { Book } from '../books/book.ts';
import { parseMicro, parsePrice, parseSize } from '../decimal.ts';
import type { PriceChange, RawLevels } from './schemas.ts';

/**
 * Builds a book. The order of the levels does not matter. @throws DecimalParseError on a level that
 * cannot be parsed
 */
export function bookOf(bids: RawLevels | null | undefined, asks: RawLevels | null | undefined): Book {
  const book = new Book();
  for (const { price, size } of bids ?? []) book.bids.set(parsePrice(price), parseSize(size));
  for (const { price, size } of asks ?? []) book.asks.set(parsePrice(price), parseSize(size));
  return book;
}

/**
 * Applies a change. It contains the new size of a level, not the difference; "0" removes the level.
 * @throws DecimalParseError on a level that cannot be parsed
 */
export function applyChange(book: Book, change: PriceChange): void {
  (change.side === 'BUY' ? book.bids : book.asks).set(parsePrice(change.price), parseSize(change.size));
}

/**
 * Whether our best prices equal those that a change names. The venue sends no sequence numbers, so
 * a difference is how a lost message is detected. An empty side is "", "0" or (asks) "1". A best
 * price that the change does not name counts as equal.
 */
export function booksMatch(book: Book, change: PriceChange): boolean {
  return (
    isSameBest(book.bid?.price ?? null, change.best_bid, 0) &&
    isSameBest(book.ask?.price ?? null, change.best_ask, 1_000_000)
  );
}

function isSameBest(ours: number | null, named: string | null | undefined, empty: number): boolean {
  if (named === null || named === undefined) return true;
  const theirs = named === '' ? empty : parseMicro(named, 'price');
  return ours === null ? theirs === empty || theirs === 0 : ours === theirs;
}
