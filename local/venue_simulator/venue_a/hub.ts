import type { Change } from '../books/ladder.ts';
import type { Faults } from '../faults/faults.ts';
import type { LifecycleMessage, ListenerA, MarketA, SourceA } from './source.ts';
import type { Session, Subscription } from './subscription.ts';

/** The subscriptions of venue A, and the delivery of the world's changes to them. */
export class Hub implements ListenerA {
  readonly sessions = new Set<Session>();
  readonly #books = new Map<string, Set<Subscription>>();
  readonly #others = new Set<Subscription>();
  readonly #source: SourceA;
  readonly #faults: Faults;

  constructor(source: SourceA, faults: Faults) {
    this.#source = source;
    this.#faults = faults;
    source.listen(this);
  }

  now(): number {
    return this.#source.now();
  }

  market(ticker: string): MarketA | undefined {
    return this.#source.market(ticker);
  }

  /** Whether new subscriptions get the other price scale than they requested. */
  mixesScales(): boolean {
    return this.#faults.mixesScales();
  }

  /** Markets that one subscription takes; null without a limit. */
  marketLimit(): number | null {
    return this.#faults.venueA.marketLimit();
  }

  /** Commands that one connection may send per second; null without a limit. */
  commandRate(): number | null {
    return this.#faults.venueA.commandRate();
  }

  join(subscription: Subscription, tickers: readonly string[] | null): void {
    if (subscription.channel !== 'orderbook_delta') this.#others.add(subscription);
    for (const ticker of tickers ?? []) {
      subscription.tickers?.add(ticker);
      if (subscription.channel !== 'orderbook_delta') continue;
      const subscriptions = this.#books.get(ticker) ?? new Set();
      this.#books.set(ticker, subscriptions.add(subscription));
    }
  }

  drop(subscription: Subscription, tickers: readonly string[]): void {
    for (const ticker of tickers) {
      subscription.tickers?.delete(ticker);
      const subscriptions = this.#books.get(ticker);
      subscriptions?.delete(subscription);
      if (subscriptions?.size === 0) this.#books.delete(ticker);
    }
  }

  leave(subscription: Subscription): void {
    this.#others.delete(subscription);
    this.drop(subscription, [...(subscription.tickers ?? [])]);
  }

  changed(market: MarketA, changes: readonly Change[], at: number): void {
    const stamped = Math.round(at + this.#faults.skew());
    for (const subscription of this.#books.get(market.ticker) ?? []) {
      subscription.session.deltas(subscription, market, changes, stamped);
    }
    for (const subscription of this.#others) {
      if (subscription.channel !== 'ticker') continue;
      if (subscription.tickers === null || subscription.tickers.has(market.ticker))
        subscription.session.ticker(subscription, market, stamped);
    }
  }

  announced({ type, ticker, msg }: LifecycleMessage): void {
    for (const subscription of this.#others) {
      if (subscription.channel !== type) continue;
      if (subscription.tickers === null || (ticker !== null && subscription.tickers.has(ticker)))
        subscription.session.plain(subscription, type, msg);
    }
  }
}
