import { type Book, complement, toHundredths } from '../books/book.ts';
import type { BookEntry } from '../books/book_store.ts';
import type { VenueCode } from '../listing.ts';
import type { WatchedPair } from './watch_list.ts';

/** One side of a contract that a pair uses. `side` is null for a token, which has one side only. */
export type QuotedLeg = { pair: string; venue: VenueCode; contract: string; side: 'yes' | 'no' | null };

/**
 * Top of book of a leg: prices in 1e-6 USD, sizes in 0.01 contract. Null when that side is empty or
 * the book is invalid.
 */
export type QuotedTop = { bid: number | null; ask: number | null; bid_size: number | null; ask_size: number | null };

/** The input of pipeline.apply_books for one leg, times in epoch ms. */
export type Quote = QuotedLeg &
  QuotedTop & {
    /** The venue's timestamp of the message that made the book. Null when the message has none. */
    venue_time: number | null;
    /** Receipt of that message, market time. */
    read_at: number | null;
    /**
     * Why there is no price although the book may have one: an invalid reason, or the reason that
     * voids the pair.
     */
    void: string | null;
    /** Number of the quote in this engine. Of two quotes of one leg the greater number is newer. */
    no: number;
  };

const NO_PRICES: QuotedTop = { bid: null, ask: null, bid_size: null, ask_size: null };
/** Timestamps after the year 9999 are ignored: SQL would not parse them as times. */
const MAX_STAMP_MS = 253_402_300_800_000;

/**
 * Every leg of a pair that gets quotes: the contracts of its outcomes and of its strike ladder,
 * each once.
 */
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

/**
 * Top of book of one side of a contract. A buyer of NO trades with the best YES bid, a seller of NO
 * with the best YES ask.
 */
export function quotedTop(book: Book | null, side: 'yes' | 'no' | null): QuotedTop {
  if (!book) return NO_PRICES;
  const { bid, ask } = book;
  const buy = side === 'no' ? bid : ask;
  const sell = side === 'no' ? ask : bid;
  const priceOf = side === 'no' ? complement : (price: number): number => price;
  return {
    bid: sell && priceOf(sell.price),
    ask: buy && priceOf(buy.price),
    bid_size: sell && toHundredths(sell.size),
    ask_size: buy && toHundredths(buy.size),
  };
}

/**
 * The next quote of a leg after `last`, or null when nothing changed. A leg has no prices while its
 * book is invalid or its pair is void, so that no stale price stays published.
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

/** The venue's timestamp, or null when it is not a plausible time. */
function validStamp(stamp: number | null): number | null {
  return stamp !== null && stamp > 0 && stamp < MAX_STAMP_MS ? stamp : null;
}
