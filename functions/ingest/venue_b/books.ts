import { Book } from '../books/book.ts';
import { parseMicro, parsePrice, parseSize } from '../decimal.ts';
import type { PriceChange, RawLevels } from './schemas.ts';

/** A whole book; the order of its levels is not relied on. @throws WireFault on a level that cannot be read */
export function bookOf(bids: RawLevels | null | undefined, asks: RawLevels | null | undefined): Book {
  const book = new Book();
  for (const { price, size } of bids ?? []) book.bids.set(parsePrice(price), parseSize(size));
  for (const { price, size } of asks ?? []) book.asks.set(parsePrice(price), parseSize(size));
  return book;
}

/** A change says the new size of a level, not the difference; "0" takes the level away. @throws WireFault */
export function applyChange(book: Book, change: PriceChange): void {
  (change.side === 'BUY' ? book.bids : book.asks).set(parsePrice(change.price), parseSize(change.size));
}

/**
 * Whether the best prices that a change names are those of our book. The venue numbers nothing, so this is how a lost message shows.
 * An empty side is written as "", "0" or (for asks) "1"; a best price that is not named cannot disagree.
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
