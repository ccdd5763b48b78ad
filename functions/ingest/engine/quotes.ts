import { type Book, complement, toHundredths } from '../books/book.ts';
import type { BookEntry } from '../books/book_store.ts';
import type { VenueCode } from '../listing.ts';
import type { WatchedPair } from './watch_list.ts';

/** One side of a contract as a market uses it; side null where the contract is a token, which has but one. */
export type QuotedLeg = { pair: string; venue: VenueCode; contract: string; side: 'yes' | 'no' | null };

/** The top of a leg's book: prices in 1e-6 USD, sizes in 0.01 contract; all null where nothing stands or nothing is believed. */
export type QuotedTop = { bid: number | null; ask: number | null; bid_size: number | null; ask_size: number | null };

/** What pipeline.apply_books takes for one leg, times in epoch ms. */
export type Quote = QuotedLeg &
  QuotedTop & {
    /** What the venue dates the message that made the book what it is; null where it does not. */
    venue_time: number | null;
    /** When that message was read off the wire, market time. */
    read_at: number | null;
    /** Why nothing is quoted although a book may be there: a Doubt, or the reason for which the whole frame is void. */
    void: string | null;
    /** Its place among all quotes of this engine: of two of one leg the greater is the newer. */
    no: number;
  };

const NO_PRICES: QuotedTop = { bid: null, ask: null, bid_size: null, ask_size: null };
/** Beyond the year 9999 a stamp is no time, and would not be read as one. */
const MAX_STAMP_MS = 253_402_300_800_000;

/** Every leg of a pair whose quotes are told: the contracts of its outcomes and the rungs of its ladder, each once. */
export function quotedLegs({ pair_id: pair, outcomes, ladder }: WatchedPair): QuotedLeg[] {
  const legs = new Map<string, QuotedLeg>();
  const add = (venue: VenueCode, contract: string | null, side: 'yes' | 'no' | null): void => {
    if (contract !== null) legs.set(`${venue} ${side} ${contract}`, { pair, venue, contract, side });
  };
  for (const outcome of outcomes) {
    add('venue_a', outcome.contract_a, outcome.side_a ?? 'yes');
    add('venue_b', outcome.contract_b, null);
  }
  for (const contract of ladder ?? []) add('venue_a', contract, 'yes');
  return [...legs.values()];
}

/** The top of a book seen from one side. NO is bought from whoever bids for YES, and sold to whoever offers it. */
export function quotedTop(book: Book | null, side: 'yes' | 'no' | null): QuotedTop {
  if (!book) return NO_PRICES;
  const { bid, ask } = book;
  const buy = side === 'no' ? bid : ask;
  const sell = side === 'no' ? ask : bid;
  const seen = side === 'no' ? complement : (price: number): number => price;
  return {
    bid: sell && seen(sell.price),
    ask: buy && seen(buy.price),
    bid_size: sell && toHundredths(sell.size),
    ask_size: buy && toHundredths(buy.size),
  };
}

/**
 * What is to be told of a leg after `told`, the last of it; null where that still stands. A book in doubt quotes nothing, nor does one of a
 * pair whose prices are withheld (tops.ts): a stale price must not be left standing.
 */
export function nextQuote(
  last: Quote | null,
  leg: QuotedLeg,
  entry: BookEntry,
  voidReason: string | null,
  no: number,
): Quote | null {
  const reason = entry.invalidReason ?? voidReason;
  const top = quotedTop(reason === null ? entry.book : null, leg.side);
  if (last && isSameTop(last, top)) return null;
  const { pair, venue, contract, side } = leg;
  const venue_time = reason === null ? validStamp(entry.venueTime) : null;
  return { pair, venue, contract, side, ...top, venue_time, read_at: entry.updatedAt, void: reason, no };
}

export function hasPrices({ bid, ask }: QuotedTop): boolean {
  return bid !== null || ask !== null;
}

function isSameTop(a: QuotedTop, b: QuotedTop): boolean {
  return a.bid === b.bid && a.ask === b.ask && a.bid_size === b.bid_size && a.ask_size === b.ask_size;
}

/** A venue's stamp, where it can be one. */
function validStamp(stamp: number | null): number | null {
  return stamp !== null && stamp > 0 && stamp < MAX_STAMP_MS ? stamp : null;
}
