import { MICRO_PER_HUNDREDTH, ONE_USD } from '../decimal.ts';

/**
 * One side of a book: prices in ascending order and their sizes. Two plain arrays and a binary
 * search are faster than a tree for the few hundred levels that real books have. The best price is
 * the last one (bids) or the first one (asks).
 */
export class Side {
  readonly prices: number[] = [];
  readonly sizes: number[] = [];

  /** Sets the size of a level. A size of zero or less removes the level. */
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

  /** Adds a signed change to the size of a level. */
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

/** One price level: price in 1e-6 USD, size in 1e-6 contract. */
export type BookLevel = { price: number; size: number };

/**
 * The order book of one contract, from its own (YES) side. venue_a lists bids only: its NO bid at q
 * is stored here as an ask at 1 - q. Prices are integers of 1e-6 USD, sizes of 1e-6 contract.
 */
export class Book {
  readonly bids = new Side();
  readonly asks = new Side();

  /** The highest bid. Null when the side is empty, which is a valid state of a market. */
  get bid(): BookLevel | null {
    const last = this.bids.prices.length - 1;
    return last < 0 ? null : { price: this.bids.prices[last] ?? 0, size: this.bids.sizes[last] ?? 0 };
  }

  get ask(): BookLevel | null {
    return this.asks.prices.length === 0 ? null : { price: this.asks.prices[0] ?? 0, size: this.asks.sizes[0] ?? 0 };
  }

  /**
   * Whether the best bid is at or above the best ask. Such orders would have traded, so the book is
   * wrong. On venue_a this means: highest YES bid + highest NO bid >= $1.
   */
  get isCrossed(): boolean {
    const bid = this.bids.prices.at(-1);
    const ask = this.asks.prices[0];
    return bid !== undefined && ask !== undefined && bid >= ask;
  }

  /** Whether both books have the same levels and sizes. */
  equals(other: Book): boolean {
    return isSameSide(this.bids, other.bids) && isSameSide(this.asks, other.asks);
  }
}

/** The price of the opposite side: 1 - price. */
export function complement(price: number): number {
  return ONE_USD - price;
}

/**
 * Top of book of one side of a contract: best ask and bid in 1e-6 USD, size at the ask and at the
 * bid in 0.01 contract.
 */
export type TopOfBook = { ask: number | null; bid: number | null; size: number | null; bidSize: number | null };
const EMPTY_TOP: TopOfBook = { ask: null, bid: null, size: null, bidSize: null };

/**
 * Top of book of one side of a contract. A buyer of NO trades with the best YES bid, so NO ask = 1
 * - best YES bid, with the size of that bid. NO bid = 1 - best YES ask, with the size of that ask.
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

/** Levels as [price in 1e-6 USD, size in 0.01 contract], best first. */
export type BookLevels = { asks: [number, number][]; bids: [number, number][] };

/** The best levels of one side of a contract, by the rule of `topOf`. Null without a book. */
export function levelsOf(book: Book | null | undefined, side: 'yes' | 'no' | null, count: number): BookLevels | null {
  if (!book) return null;
  const asks = levelPairs(book.asks, count, true);
  const bids = levelPairs(book.bids, count, false);
  if (side !== 'no') return { asks, bids };
  const opposite = (levels: [number, number][]) =>
    levels.map(([price, size]): [number, number] => [complement(price), size]);
  return { asks: opposite(bids), bids: opposite(asks) };
}

/** The first levels of a side, or the last ones from the end. */
function levelPairs({ prices, sizes }: Side, count: number, isAscending: boolean): [number, number][] {
  return Array.from({ length: Math.min(count, prices.length) }, (_, n): [number, number] => {
    const at = isAscending ? n : prices.length - 1 - n;
    return [prices[at] ?? 0, toHundredths(sizes[at] ?? 0)];
  });
}

/**
 * Converts 1e-6 contract to 0.01 contract. Rounds down, so that a published size is never larger
 * than the size that the venue offers.
 */
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
