import type { BookStores } from './price_update.ts';
import { hasPrices, nextQuote, type Quote, type QuotedLeg, quotedLegs } from './quotes.ts';
import type { WatchedPair } from './watch_list.ts';

/**
 * A quote that has prices is sent again after this time (real ms). The database publishes it again
 * when its last publication is three minutes old (stream.settings), so every quote is published at
 * least every five minutes. The repetition also restores quotes that the database closed while the
 * worker was unreachable.
 */
export const REPEAT_INTERVAL_MS = 120_000;

/** A leg with its last quote. */
type Leg = QuotedLeg & { last: Quote | null };

/**
 * Quotes on their way to the database: the newest one of each leg. So their number is bounded by
 * the number of legs, however long the database is unreachable.
 */
export class QuoteQueue {
  readonly #legs = new Map<string, Leg[]>();
  #waiting = new Map<Leg, Quote>();
  #inFlight = new Map<Leg, Quote>();
  /** Real time at which each quote with prices was last sent, oldest first. */
  readonly #sentAt = new Map<Leg, number>();
  #lastNo = 0;

  /** Number of quotes that wait for a flush or are in one. */
  get length(): number {
    return this.#waiting.size + this.#inFlight.size;
  }

  /**
   * Compares every leg of a pair with its last quote and queues those that changed. `voidReason` is
   * set when the pair has no usable prices.
   */
  update(pair: WatchedPair, stores: BookStores, voidReason: string | null): void {
    for (const leg of this.#legsOf(pair)) {
      const entry = (leg.venue === 'venue_a' ? stores.a : stores.b).get(leg.contract);
      // The state of the book is unknown: the quote of the predecessor stays valid.
      if (!entry?.hasData) continue;
      const quote = nextQuote(leg.last, leg, entry, voidReason, this.#lastNo + 1);
      if (!quote) continue;
      this.#lastNo = quote.no;
      leg.last = quote;
      this.#waiting.set(leg, quote);
    }
  }

  /** Removes the legs of a pair. The next `update` then queues all of its quotes. */
  remove(pair: string): void {
    for (const leg of this.#legs.get(pair) ?? []) {
      this.#waiting.delete(leg);
      this.#sentAt.delete(leg);
    }
    this.#legs.delete(pair);
  }

  /**
   * Takes quotes for one flush, including those due for repetition at `now` (real time). Call
   * `done` or `failed` before the next `take`.
   */
  take(limit: number, now: number): Quote[] {
    for (const [leg, sentAt] of this.#sentAt) {
      if (sentAt > now - REPEAT_INTERVAL_MS || this.#waiting.size >= limit) break;
      this.#sentAt.delete(leg);
      if (leg.last && !this.#waiting.has(leg)) this.#waiting.set(leg, { ...leg.last, no: ++this.#lastNo });
    }
    for (const [leg, quote] of this.#waiting) {
      if (this.#inFlight.size >= limit) break;
      this.#waiting.delete(leg);
      this.#inFlight.set(leg, quote);
    }
    return [...this.#inFlight.values()];
  }

  /** Ends a flush that was acknowledged. `now` is real time. */
  done(now: number): void {
    for (const [leg, quote] of this.#inFlight) {
      this.#sentAt.delete(leg);
      if (hasPrices(quote) && this.#legs.get(leg.pair)?.includes(leg)) this.#sentAt.set(leg, now);
    }
    this.#inFlight = new Map();
  }

  /** Queues the quotes of a failed flush again, except those with a newer quote. */
  failed(): void {
    for (const [leg, quote] of this.#inFlight) {
      if (!this.#waiting.has(leg) && this.#legs.get(leg.pair)?.includes(leg)) this.#waiting.set(leg, quote);
    }
    this.#inFlight = new Map();
  }

  #legsOf(pair: WatchedPair): Leg[] {
    const existing = this.#legs.get(pair.pair_id);
    if (existing) return existing;
    const legs = quotedLegs(pair).map((leg) => ({ ...leg, last: null }));
    this.#legs.set(pair.pair_id, legs);
    return legs;
  }
}
