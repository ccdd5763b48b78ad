import { BookStore } from '../books/book_store.ts';
import { opportunityOf } from './opportunity.ts';
import { alignTimes, buildPriceUpdate, isSamePriceUpdate, type PriceUpdate } from './price_update.ts';
import { PriceUpdateQueue } from './price_update_queue.ts';
import { QuoteQueue } from './quote_queue.ts';
import { type WatchedPair, WatchList } from './watch_list.ts';

/**
 * Books in, frames and quotes out: recomputes a pair when one of its books changed and queues a frame when a reader would see a difference,
 * and a quote of each leg whose top moved.
 * Pure and synchronous.
 */
export class Engine {
  readonly watchList = new WatchList();
  readonly queue = new PriceUpdateQueue();
  readonly quotes = new QuoteQueue();
  readonly a = new BookStore('venue_a', (contract, at) => this.#onBookChange('venue_a', contract, at));
  readonly b = new BookStore('venue_b', (contract, at) => this.#onBookChange('venue_b', contract, at));
  readonly #lastUpdates = new Map<string, PriceUpdate>();
  /** Slices whose frames we may write; a slice that we only warm up for is read but not written. */
  readonly #ownedShards = new Set<string>();

  /** The watch list as it is now. New contracts appear on the shelves, unused ones leave. `at`: market time, `now`: real time. */
  setWatchList(rows: readonly WatchedPair[], at: number, now: number): void {
    const { changed, gone } = this.watchList.replace(rows);
    for (const pairId of gone) this.#clearChangeCache(pairId);
    const removed = new Set(gone);
    if (gone.length > 0) this.queue.drop((pair) => removed.has(pair));
    for (const store of [this.a, this.b]) {
      const tracked = new Set(this.watchList.contracts(store.venue));
      for (const contract of [...store.contracts()]) if (!tracked.has(contract)) store.untrack(contract);
      for (const contract of tracked) store.track(contract, now);
    }
    for (const pair of changed) {
      this.#clearChangeCache(pair.pair_id);
      this.#refresh(pair, at);
    }
  }

  /** From now on frames of this slice are ours: its whole state is queued. Equal frames write nothing in the database. */
  acquireShard(shard: string, at: number): void {
    this.#ownedShards.add(shard);
    for (const pair of this.watchList.pairs.values()) {
      if (pair.shard !== shard) continue;
      this.#clearChangeCache(pair.pair_id);
      this.#refresh(pair, at);
    }
  }

  /** The slice is somebody else's: what waits for it is dropped, it would be refused. */
  releaseShard(shard: string): void {
    if (!this.#ownedShards.delete(shard)) return;
    this.queue.drop((pairId) => this.watchList.pairs.get(pairId)?.shard === shard);
    for (const pair of this.watchList.pairs.values()) if (pair.shard === shard) this.quotes.remove(pair.pair_id);
  }

  hasShard(shard: string): boolean {
    return this.#ownedShards.has(shard);
  }

  /** Whether something is known of every book of a slice. */
  isWarm(shard: string): boolean {
    for (const pair of this.watchList.pairs.values()) {
      if (pair.shard === shard && buildPriceUpdate(pair, this, 0) === null) return false;
    }
    return true;
  }

  /** Ends the waiting: books of which nothing came although they were wanted before `since` (real time) are missing. */
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

  /** Everything of this pair is news from now on. */
  #clearChangeCache(pair: string): void {
    this.#lastUpdates.delete(pair);
    this.quotes.remove(pair);
  }

  #refresh(pair: WatchedPair, at: number): void {
    if (!this.#ownedShards.has(pair.shard)) return;
    const before = this.#lastUpdates.get(pair.pair_id);
    // A doubt is dated from the last sign of life, which may lie before the other venue's last change; time must not run backwards,
    // or the database would refuse the frame as old and go on showing a price that nobody vouches for.
    const update = buildPriceUpdate(pair, this, before ? Math.max(at, before.at) : at);
    this.quotes.update(pair, this, update?.void ?? null);
    if (!update) return;
    alignTimes(update, before);
    if (pair.arb) update.opp = opportunityOf(pair, this);
    if (before && isSamePriceUpdate(before, update)) return;
    this.#lastUpdates.set(pair.pair_id, update);
    this.queue.push(update);
  }
}
