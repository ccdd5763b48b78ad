import { MICRO_PER_HUNDREDTH, ONE_USD } from '../decimal.ts';

/**
 * One side of a book: prices ascending, sizes beside them. Two plain arrays and a binary search beat a tree at the some hundred levels that
 * real books have, and the best price is the last (bids) or the first (asks).
 */
export class Side {
  readonly prices: number[] = [];
  readonly sizes: number[] = [];

  /** Sets what stands at a price; zero or less takes the level away. */
  set(price: number, size: number): void {
    const at = this.#search(price);
    if (this.prices[at] === price) {
      if (size > 0) this.sizes[at] = size;
      else {
        this.prices.splice(at, 1);
        this.sizes.splice(at, 1);
      }
    } else if (size > 0) {
      this.prices.splice(at, 0, price);
      this.sizes.splice(at, 0, size);
    }
  }

  /** Adds a signed change to what stands at a price. */
  add(price: number, delta: number): void {
    this.set(price, this.sizeAt(price) + delta);
  }

  sizeAt(price: number): number {
    const at = this.#search(price);
    return this.prices[at] === price ? (this.sizes[at] ?? 0) : 0;
  }

  #search(price: number): number {
    let low = 0;
    let high = this.prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.prices[middle] ?? 0) < price) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What one side offers at its best: price in 1e-6 USD, size in 1e-6 contract. */
export type BookLevel = { price: number; size: number };

/**
 * The book of one contract, seen from its own (YES) side. venue_a lists bids only; its NO bid at q stands here as an ask at 1 - q.
 * Prices are integers of 1e-6 USD, sizes of 1e-6 contract.
 */
export class Book {
  readonly bids = new Side();
  readonly asks = new Side();

  /** The highest bid, or null: an empty side is a fact about the market and no fault. */
  get bid(): BookLevel | null {
    const last = this.bids.prices.length - 1;
    return last < 0 ? null : { price: this.bids.prices[last] ?? 0, size: this.bids.sizes[last] ?? 0 };
  }

  get ask(): BookLevel | null {
    return this.asks.prices.length === 0 ? null : { price: this.asks.prices[0] ?? 0, size: this.asks.sizes[0] ?? 0 };
  }

  /** A bid at or above an ask would have traded: such a book is wrong. (venue_a: max yes + max no >= 1.) */
  get isCrossed(): boolean {
    const bid = this.bids.prices.at(-1);
    const ask = this.asks.prices[0];
    return bid !== undefined && ask !== undefined && bid >= ask;
  }

  /** Equal to the last level and size. */
  equals(other: Book): boolean {
    return isSameSide(this.bids, other.bids) && isSameSide(this.asks, other.asks);
  }
}

/** What buying YES costs seen from NO: the complement of a price. */
export function complement(price: number): number {
  return ONE_USD - price;
}

/** Best ask and bid of one side of a contract in 1e-6 USD, with the size at the ask and the size at the bid in 0.01 contract. */
export type TopOfBook = { ask: number | null; bid: number | null; size: number | null; bidSize: number | null };
const EMPTY_TOP: TopOfBook = { ask: null, bid: null, size: null, bidSize: null };

/**
 * The top of a book seen from one side. Buying NO is selling YES to the best bidder: NO ask = 1 - best YES bid, with the size of that
 * bid; NO bid = 1 - best YES ask, with the size of that ask.
 */
export function topOf(book: Book | null | undefined, side: 'yes' | 'no' | null): TopOfBook {
  if (!book) return EMPTY_TOP;
  const { ask, bid } = book;
  const [atAsk, atBid] = [ask ? toHundredths(ask.size) : null, bid ? toHundredths(bid.size) : null];
  if (side !== 'no') return { ask: ask?.price ?? null, bid: bid?.price ?? null, size: atAsk, bidSize: atBid };
  return {
    ask: bid ? complement(bid.price) : null,
    bid: ask ? complement(ask.price) : null,
    size: atBid,
    bidSize: atAsk,
  };
}

/** 1e-6 contract in 0.01 contract, rounded down: what is promised must be there. */
export function toHundredths(size: number): number {
  return Math.floor(size / MICRO_PER_HUNDREDTH);
}

function isSameSide(a: Side, b: Side): boolean {
  if (a.prices.length !== b.prices.length) return false;
  for (let at = 0; at < a.prices.length; at += 1) {
    if (a.prices[at] !== b.prices[at] || a.sizes[at] !== b.sizes[at]) return false;
  }
  return true;
}
