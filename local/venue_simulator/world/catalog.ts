import { wideCondition } from '../core/ids.ts';
import type { EventA as ListingA, EventB as ListingB, Question } from '../universe/question.ts';
import { Instrument } from './instrument.ts';
import { LiveEventA, LiveMarketA } from './live_a.ts';
import { LiveEventB, LiveMarketB } from './live_b.ts';

/** The current listings of each venue, by each of their names. */
export class Catalog {
  #eventsOnA: LiveEventA[] = [];
  #eventsOnB: LiveEventB[] = [];
  readonly #byTicker = new Map<string, LiveEventA>();
  readonly #marketsA = new Map<string, LiveMarketA>();
  readonly #bySlug = new Map<string, LiveEventB>();
  readonly #marketsB = new Map<string, LiveMarketB>();
  #seq = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  listA(listing: ListingA, question: Question): readonly LiveMarketA[] {
    const markets = listing.contracts.map(
      (contract) =>
        new LiveMarketA(contract, listing.ticker, new Instrument('a', question, contract.quoting), this.#now),
    );
    const event = new LiveEventA(listing, question, markets, ++this.#seq);
    this.#eventsOnA.push(event);
    this.#byTicker.set(event.ticker, event);
    for (const market of markets) this.#marketsA.set(market.ticker, market);
    return markets;
  }

  listB(listing: ListingB, question: Question): readonly LiveMarketB[] {
    const markets = listing.markets.map(
      (contract) => new LiveMarketB(contract, new Instrument('b', question, contract.quoting), ++this.#seq, this.#now),
    );
    const event = new LiveEventB(listing, question, markets, ++this.#seq, this.#now);
    this.#eventsOnB.push(event);
    this.#bySlug.set(event.slug, event);
    for (const market of markets) {
      this.#marketsB.set(market.slug, market);
      this.#marketsB.set(wideCondition(market.condition), market);
      for (const token of market.tokens) this.#marketsB.set(token, market);
    }
    return markets;
  }

  remove(question: Question): void {
    const a = question.a && this.#byTicker.get(question.a.ticker);
    if (a) {
      this.#eventsOnA = this.#eventsOnA.filter((event) => event !== a);
      this.#byTicker.delete(a.ticker);
      for (const market of a.markets) this.#marketsA.delete(market.ticker);
    }
    const b = question.b && this.#bySlug.get(question.b.slug);
    if (b) {
      this.#eventsOnB = this.#eventsOnB.filter((event) => event !== b);
      this.#bySlug.delete(b.slug);
      for (const market of b.markets) {
        this.#marketsB.delete(market.slug);
        this.#marketsB.delete(wideCondition(market.condition));
        for (const token of market.tokens) this.#marketsB.delete(token);
      }
    }
  }

  eventsA(): readonly LiveEventA[] {
    return this.#eventsOnA;
  }

  eventsB(): readonly LiveEventB[] {
    return this.#eventsOnB;
  }

  eventA(ticker: string): LiveEventA | undefined {
    return this.#byTicker.get(ticker);
  }

  marketA(ticker: string): LiveMarketA | undefined {
    return this.#marketsA.get(ticker);
  }

  eventB(slug: string): LiveEventB | undefined {
    return this.#bySlug.get(slug);
  }

  /** By slug, by either token, or by condition in its 32-byte form. */
  marketB(name: string): LiveMarketB | undefined {
    return this.#marketsB.get(name);
  }
}
