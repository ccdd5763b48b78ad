import type { Shelves } from './price_update.ts';
import { isStanding, type Quote, type QuotedLeg, quoteAfter, quotedLegs } from './quotes.ts';
import type { WatchedPair } from './watch_list.ts';

/**
 * A quote that stands goes again this long after it last went (real ms). The database tells it again when its last telling is three minutes
 * old (stream.settings), so that every standing quote is told at least every five minutes; and whatever it closed while we were not
 * heard of, comes back.
 */
export const AGAIN_MS = 120_000;

/** A leg with the last quote that was made of it. */
type Leg = QuotedLeg & { last: Quote | null };

/** Quotes on their way to the database, of each leg the newest only: so their number is bounded by the legs, however long it is away. */
export class QuoteQueue {
  private readonly legs = new Map<string, Leg[]>();
  private waiting = new Map<Leg, Quote>();
  private flying = new Map<Leg, Quote>();
  /** Real time at which each standing quote last went, the longest ago first. */
  private readonly went = new Map<Leg, number>();
  private made = 0;

  /** How many wait for their flush. */
  get length(): number {
    return this.waiting.size + this.flying.size;
  }

  /** Looks at every leg of a pair; what changed since the last quote waits for the next flush. `withheld`: why the pair shows no prices. */
  note(pair: WatchedPair, shelves: Shelves, withheld: string | null): void {
    for (const leg of this.legsOf(pair)) {
      const held = (leg.venue === 'venue_a' ? shelves.a : shelves.b).get(leg.contract);
      // Nobody has said anything of it yet: what a predecessor told of it stands.
      if (!held?.decided) continue;
      const quote = quoteAfter(leg.last, leg, held, withheld, this.made + 1);
      if (!quote) continue;
      this.made = quote.no;
      leg.last = quote;
      this.waiting.set(leg, quote);
    }
  }

  /** Forgets what was told of a pair: it is gone, or all of it is to be told anew. */
  forget(pair: string): void {
    for (const leg of this.legs.get(pair) ?? []) {
      this.waiting.delete(leg);
      this.went.delete(leg);
    }
    this.legs.delete(pair);
  }

  /** Quotes for one flush, those included that go again at `now` (real time); `done` or `failed` must follow before the next. */
  take(most: number, now: number): Quote[] {
    for (const [leg, went] of this.went) {
      if (went > now - AGAIN_MS || this.waiting.size >= most) break;
      this.went.delete(leg);
      if (leg.last && !this.waiting.has(leg)) this.waiting.set(leg, { ...leg.last, no: ++this.made });
    }
    for (const [leg, quote] of this.waiting) {
      if (this.flying.size >= most) break;
      this.waiting.delete(leg);
      this.flying.set(leg, quote);
    }
    return [...this.flying.values()];
  }

  /** `now`: real time. */
  done(now: number): void {
    for (const [leg, quote] of this.flying) {
      this.went.delete(leg);
      if (isStanding(quote) && this.legs.get(leg.pair)?.includes(leg)) this.went.set(leg, now);
    }
    this.flying = new Map();
  }

  /** The flush may or may not have been written; what was not overtaken meanwhile goes again. */
  failed(): void {
    for (const [leg, quote] of this.flying) {
      if (!this.waiting.has(leg) && this.legs.get(leg.pair)?.includes(leg)) this.waiting.set(leg, quote);
    }
    this.flying = new Map();
  }

  private legsOf(pair: WatchedPair): Leg[] {
    const known = this.legs.get(pair.pair_id);
    if (known) return known;
    const legs = quotedLegs(pair).map((leg) => ({ ...leg, last: null }));
    this.legs.set(pair.pair_id, legs);
    return legs;
  }
}
