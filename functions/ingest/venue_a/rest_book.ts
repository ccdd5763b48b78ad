import type { Book } from '../books/book.ts';
import { DecimalParseError } from '../decimal.ts';
import { isObject, parseRecord } from '../feeds/parse.ts';
import { bookOf } from './books.ts';
import { restBook } from './schemas.ts';

export type RestBookResult =
  | { ok: true; ticker: string; book: Book }
  | { ok: false; ticker: string | null; code: string; detail: string };

/** Parses one element of GET /markets/orderbooks. REST quotes NO bids as NO prices. */
export function parseRestBook(raw: unknown): RestBookResult {
  const ticker = isObject(raw) && typeof raw.ticker === 'string' ? raw.ticker : null;
  const result = parseRecord(restBook, raw, 'book');
  if (!result.ok) return { ok: false, ticker, code: result.code, detail: result.detail };
  try {
    const { yes_dollars, no_dollars } = result.value.orderbook_fp;
    return { ok: true, ticker: result.value.ticker, book: bookOf(yes_dollars, no_dollars, false) };
  } catch (error) {
    if (error instanceof DecimalParseError) return { ok: false, ticker, code: error.code, detail: error.message };
    throw error;
  }
}
