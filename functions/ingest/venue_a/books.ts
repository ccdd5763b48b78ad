import { Book, complement } from '../books/book.ts';
import { parseMicro, parsePrice, parseSize } from '../decimal.ts';
import type { RawSide } from './schemas.ts';

/**
 * Builds a book from venue_a's two lists of bids. REST, and the socket without `use_yes_price`,
 * quote NO bids as NO prices. With `use_yes_price` the socket quotes them as YES prices, where they
 * already are asks (venues.md A5, A6). @throws DecimalParseError on a level that cannot be parsed
 */
export function bookOf(yes: RawSide, no: RawSide, noInYesPrices: boolean): Book {
  const book = new Book();
  for (const [price, size] of yes ?? []) book.bids.set(parsePrice(price), parseSize(size));
  for (const [price, size] of no ?? []) book.asks.set(askPrice(price, noInYesPrices), parseSize(size));
  return book;
}

/**
 * Applies a signed change of one level. @throws DecimalParseError on a level that cannot be parsed
 */
export function applyDelta(
  book: Book,
  delta: { price_dollars: string; delta_fp: string; side: 'yes' | 'no' },
  noInYesPrices: boolean,
): void {
  const change = parseMicro(delta.delta_fp, 'size');
  if (delta.side === 'yes') book.bids.add(parsePrice(delta.price_dollars), change);
  else book.asks.add(askPrice(delta.price_dollars, noInYesPrices), change);
}

function askPrice(price: string, noInYesPrices: boolean): number {
  const parsed = parsePrice(price);
  return noInYesPrices ? parsed : complement(parsed);
}
