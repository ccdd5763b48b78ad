import { Book } from '../../functions/ingest/books/book.ts';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import {
  isOpportunity,
  type Opportunity,
  opportunityOf,
  type Rejection,
} from '../../functions/ingest/engine/opportunity.ts';
import type { WatchedOutcome, WatchedPair } from '../../functions/ingest/engine/watch_list.ts';
import type { Fee } from '../../functions/ingest/listing.ts';

/** A level: price in 1e-6 USD, size in 0.01 contract. */
export type Level = readonly [price: number, size: number];
export type Sides = { bids: readonly Level[]; asks: readonly Level[] };

export const QUADRATIC: Fee = { model: 'quadratic', multiplier: '1', maker: false };
export const SPORTS: Fee = { model: 'rate', rate: '0.05' };
export const FREE_A: Fee = { model: 'quadratic', multiplier: '0', maker: false };
export const FREE_B: Fee = { model: 'rate', rate: '0' };

export function bookOf({ bids, asks }: Sides): Book {
  const book = new Book();
  for (const [price, size] of bids) book.bids.set(price, size * 10_000);
  for (const [price, size] of asks) book.asks.set(price, size * 10_000);
  return book;
}

/**
 * The same book from the other side of the contract: a bid for NO at q is an ask of YES at 1 - q.
 */
function mirrored({ bids, asks }: Sides): Sides {
  const invert = (levels: readonly Level[]) => levels.map(([price, size]): Level => [1_000_000 - price, size]);
  return { bids: invert(asks), asks: invert(bids) };
}

/**
 * The books of an outcome on both venues. `side` is the side of its venue_a contract that pays for
 * it, and `a` is the book of that side.
 */
export type OutcomeBooks = { a: Sides; b: Sides; side?: 'yes' | 'no' };

export type PairFixture = { pair: WatchedPair; a: BookStore; b: BookStore };

/**
 * A pair with the outcomes o0, o1 …, the contracts A0 … on venue_a (YES unless the books have side
 * NO) and B0 … on venue_b. Each book was read at a time of its own, before 50.
 */
export function pairFixture(
  books: readonly OutcomeBooks[],
  terms: Partial<WatchedOutcome> | ((at: number) => Partial<WatchedOutcome>) = {},
): PairFixture {
  const a = new BookStore('venue_a', () => {});
  const b = new BookStore('venue_b', () => {});
  const outcomes = books.map((sides, at): WatchedOutcome => {
    a.track(`A${at}`, 0);
    b.track(`B${at}`, 0);
    a.replace(`A${at}`, bookOf(sides.side === 'no' ? mirrored(sides.a) : sides.a), 10 + at, 5 + at);
    b.replace(`B${at}`, bookOf(sides.b), 30 + at, 25 + at);
    return {
      key: `o${at}`,
      contract_a: `A${at}`,
      side_a: sides.side ?? 'yes',
      contract_b: `B${at}`,
      fee_a: QUADRATIC,
      fee_b: SPORTS,
      min_a: 1,
      min_b: 500,
      delay_b: 3,
      ...(typeof terms === 'function' ? terms(at) : terms),
    };
  });
  return { pair: { shard: 'books:0', pair_id: 'p', outcomes, ladder: null, arb: true }, a, b };
}

export function expectOpportunity(fixture: PairFixture): Opportunity {
  const opp = opportunityOf(fixture.pair, fixture);
  if (!isOpportunity(opp)) throw new Error(`Expected an opportunity, not ${JSON.stringify(opp)}.`);
  return opp;
}

export function expectRejection(fixture: PairFixture): Rejection {
  const opp = opportunityOf(fixture.pair, fixture);
  if (opp === null || isOpportunity(opp)) throw new Error(`Expected a refusal, not ${JSON.stringify(opp)}.`);
  return opp;
}

/** How much more than at the ask is wanted at the bid of `flat`: no two sizes are the same. */
export const MORE_AT_BID = 700;

/** One price level on each side: `size` (0.01 contract) at the ask, and more at the bid. */
export function flat(bid: number, ask: number, size = 12_000): Sides {
  return { bids: [[bid, size + MORE_AT_BID]], asks: [[ask, size]] };
}
