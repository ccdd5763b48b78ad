import type { BookStores } from './price_update.ts';
import { hasPrices, nextQuote, type Quote, type QuotedLeg, quotedLegs } from './quotes.ts';
import type { WatchedPair } from './watch_list.ts';

/**
 * A quote that stands goes again this long after it last went (real ms). The database tells it again when its last telling is three minutes
 * old (stream.settings), so that every standing quote is told at least every five minutes; and whatever it closed while we were not
 * heard of, comes back.
 */
export const REPEAT_INTERVAL_MS = 120_000;

/** A leg with the last quote that was made of it. */
type Leg = QuotedLeg & { last: Quote | null };

/** Quotes on their way to the database, of each leg the newest only: so their number is bounded by the legs, however long it is away. */
export class QuoteQueue {
  readonly #legs = new Map<string, Leg[]>();
  #waiting = new Map<Leg, Quote>();
  #inFlight = new Map<Leg, Quote>();
  /** Real time at which each standing quote last went, the longest ago first. */
  readonly #sentAt = new Map<Leg, number>();
  #lastNo = 0;

  /** How many wait for their flush. */
  get length(): number {
    return this.#waiting.size + this.#inFlight.size;
  }

  /** Looks at every leg of a pair; what changed since the last quote waits for the next flush. `withheld`: why the pair shows no prices. */
  update(pair: WatchedPair, stores: BookStores, voidReason: string | null): void {
    for (const leg of this.#legsOf(pair)) {
      const entry = (leg.venue === 'venue_a' ? stores.a : stores.b).get(leg.contract);
      // Nobody has said anything of it yet: what a predecessor told of it stands.
      if (!entry?.hasData) continue;
      const quote = nextQuote(leg.last, leg, entry, voidReason, this.#lastNo + 1);
      if (!quote) continue;
      this.#lastNo = quote.no;
      leg.last = quote;
      this.#waiting.set(leg, quote);
    }
  }

  /** Forgets what was told of a pair: it is gone, or all of it is to be told anew. */
  remove(pair: string): void {
    for (const leg of this.#legs.get(pair) ?? []) {
      this.#waiting.delete(leg);
      this.#sentAt.delete(leg);
    }
    this.#legs.delete(pair);
  }

  /** Quotes for one flush, those included that go again at `now` (real time); `done` or `failed` must follow before the next. */
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

  /** `now`: real time. */
  done(now: number): void {
    for (const [leg, quote] of this.#inFlight) {
      this.#sentAt.delete(leg);
      if (hasPrices(quote) && this.#legs.get(leg.pair)?.includes(leg)) this.#sentAt.set(leg, now);
    }
    this.#inFlight = new Map();
  }

  /** The flush may or may not have been written; what was not overtaken meanwhile goes again. */
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
