import { BookStore } from '../books/book_store.ts';
import { waiverEndOf } from './fees.ts';
import { LevelSampler } from './level_sampler.ts';
import { opportunityOf } from './opportunity.ts';
import { alignTimes, buildPriceUpdate, isSamePriceUpdate, type PriceUpdate } from './price_update.ts';
import { PriceUpdateQueue } from './price_update_queue.ts';
import { QuoteQueue } from './quote_queue.ts';
import { type WatchedPair, WatchList } from './watch_list.ts';

/**
 * Turns book changes into price updates and quotes. When a book changes, the engine recomputes its
 * pairs. It queues a price update when a value changed, and a quote for each leg whose top of book
 * changed.
 *
 * The engine is pure and synchronous.
 */
export class Engine {
  readonly watchList = new WatchList();
  readonly queue = new PriceUpdateQueue();
  readonly quotes = new QuoteQueue();
  readonly levels = new LevelSampler();
  readonly a = new BookStore('venue_a', (contract, at) => this.#onBookChange('venue_a', contract, at));
  readonly b = new BookStore('venue_b', (contract, at) => this.#onBookChange('venue_b', contract, at));
  readonly #lastUpdates = new Map<string, PriceUpdate>();
  /**
   * Shards whose updates this worker may write. A shard that the worker only warms up is read and
   * not written.
   */
  readonly #ownedShards = new Set<string>();
  /** Ends of fee waivers, earliest first, market time in epoch ms. */
  #waiverEnds: { at: number; pair: string }[] = [];

  /**
   * Replaces the watch list. The book stores track new contracts and drop unused ones. `at` is
   * market time, `now` real time.
   */
  setWatchList(rows: readonly WatchedPair[], at: number, now: number): void {
    const { changed, removed } = this.watchList.replace(rows);
    for (const pairId of removed) this.#clearChangeCache(pairId);
    const removedIds = new Set(removed);
    if (removed.length > 0) this.queue.drop((pair) => removedIds.has(pair));
    for (const store of [this.a, this.b]) {
      const tracked = new Set(this.watchList.contracts(store.venue));
      for (const contract of [...store.contracts()]) if (!tracked.has(contract)) store.untrack(contract);
      for (const contract of tracked) store.track(contract, now);
    }
    this.#waiverEnds = waiverEndsOf(this.watchList.pairs.values(), at);
    for (const pair of changed) {
      this.#clearChangeCache(pair.pair_id);
      this.#refresh(pair, at);
    }
  }

  /** Recomputes the pairs whose fee waiver has ended at `at`: no book changes at that moment. */
  endFeeWaivers(at: number): void {
    while ((this.#waiverEnds[0]?.at ?? Number.POSITIVE_INFINITY) <= at) {
      const pair = this.watchList.pairs.get(this.#waiverEnds.shift()?.pair ?? '');
      if (pair) this.#refresh(pair, at);
    }
  }

  /**
   * Starts to write this shard and queues its whole state. The database ignores updates that change
   * nothing.
   */
  acquireShard(shard: string, at: number): void {
    this.#ownedShards.add(shard);
    for (const pair of this.watchList.pairs.values()) {
      if (pair.shard !== shard) continue;
      this.#clearChangeCache(pair.pair_id);
      this.#refresh(pair, at);
    }
  }

  /**
   * Stops writing this shard and drops its queued updates. The database would reject them, because
   * another worker holds the lease.
   */
  releaseShard(shard: string): void {
    if (!this.#ownedShards.delete(shard)) return;
    this.queue.drop((pairId) => this.watchList.pairs.get(pairId)?.shard === shard);
    for (const pair of this.watchList.pairs.values()) if (pair.shard === shard) this.quotes.remove(pair.pair_id);
  }

  hasShard(shard: string): boolean {
    return this.#ownedShards.has(shard);
  }

  /** Whether the state of every book of the shard is known. */
  isWarm(shard: string): boolean {
    for (const pair of this.watchList.pairs.values()) {
      if (pair.shard === shard && buildPriceUpdate(pair, this, 0) === null) return false;
    }
    return true;
  }

  /** Whether the pairs of the shard have a price at each venue, or there are no pairs. */
  readsBothVenues(shard: string): boolean {
    const pairs = [...this.watchList.pairs.values()].filter((pair) => pair.shard === shard);
    const updates = pairs.map((pair) => buildPriceUpdate(pair, this, 0)).filter((update) => update !== null);
    const isPriced = (prices: readonly (number | null)[]): boolean => prices.some((price) => price !== null);
    return (
      pairs.length === 0 ||
      (updates.some(({ ask_a, bid_a }) => isPriced([...ask_a, ...bid_a])) &&
        updates.some(({ ask_b, bid_b }) => isPriced([...ask_b, ...bid_b])))
    );
  }

  /**
   * Marks books missing that are tracked since before `since` (real time) and have no data yet.
   * Their pairs then stop waiting.
   */
  expireMissingBooks(since: number, at: number): void {
    for (const store of [this.a, this.b]) {
      for (const contract of store.contracts()) {
        const entry = store.get(contract);
        if (entry && !entry.hasData && entry.trackedAt < since) store.invalidate(contract, 'book.missing', at);
      }
    }
  }

  #onBookChange(venue: 'venue_a' | 'venue_b', contract: string, at: number): void {
    for (const pairId of this.watchList.pairsOf(venue, contract)) {
      const pair = this.watchList.pairs.get(pairId);
      if (pair) this.#refresh(pair, at);
    }
  }

  /** Clears the change cache of a pair: its next update and quotes are emitted even if equal. */
  #clearChangeCache(pair: string): void {
    this.#lastUpdates.delete(pair);
    this.quotes.remove(pair);
  }

  #refresh(pair: WatchedPair, at: number): void {
    if (!this.#ownedShards.has(pair.shard)) return;
    this.levels.markChanged(pair.pair_id);
    const before = this.#lastUpdates.get(pair.pair_id);
    // An invalid book is dated from the last sign of life, which may be earlier than the last
    // change of the other venue. Time must not run backwards: the database would ignore the update
    // as old and keep a price that is no longer valid.
    const update = buildPriceUpdate(pair, this, before ? Math.max(at, before.at) : at);
    this.quotes.update(pair, this, update?.void ?? null);
    if (!update) return;
    alignTimes(update, before);
    if (pair.arb) update.opp = opportunityOf(pair, this, update.at);
    if (before && isSamePriceUpdate(before, update)) return;
    this.#lastUpdates.set(pair.pair_id, update);
    this.queue.push(update);
  }
}

/** The ends of the fee waivers of these pairs after `at`, earliest first. */
function waiverEndsOf(pairs: Iterable<WatchedPair>, at: number): { at: number; pair: string }[] {
  const ends: { at: number; pair: string }[] = [];
  for (const { pair_id: pair, outcomes } of pairs) {
    for (const { fee_a } of outcomes) {
      const end = waiverEndOf(fee_a);
      if (end !== null && end > at) ends.push({ at: end, pair });
    }
  }
  return ends.sort((x, y) => x.at - y.at);
}
