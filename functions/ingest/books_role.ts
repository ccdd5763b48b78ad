import type { Runtime } from '../_shared/runtime.ts';
import type { MarketClock } from './clock.ts';
import type { FeedHeartbeat, IngestQueries } from './database.ts';
import { Engine } from './engine/engine.ts';
import type { BookFeed } from './feeds/feed.ts';
import { type FlushStats, flushUpdates } from './flush.ts';
import type { LeaseKeeper } from './lease_keeper.ts';
import { VENUES, type VenueCode } from './listing.ts';
import { runLogged } from './repeat.ts';
import type { WorkLimits } from './work_limits.ts';

/**
 * Books without data for this long are missing. A warm-up ends with the books that have arrived.
 */
const WARM_MS = 8_000;

export type BooksRoleOptions = {
  limits: WorkLimits;
  queries: IngestQueries;
  leases: LeaseKeeper;
  clock: MarketClock;
  runtime: Runtime;
  log(line: string): void;
};

/**
 * Reads the order books of the shards that the worker holds or warms up, and writes price updates
 * for those that it holds.
 */
export class BooksRole {
  readonly engine = new Engine();
  readonly stats: FlushStats = { applied: 0, updates: 0, calls: 0, failures: 0, pendingSince: null };
  readonly #options: BooksRoleOptions;
  readonly #lastFlush = new AbortController();
  #feeds: Record<VenueCode, BookFeed> | null = null;
  #hasStartedFeeds = false;
  #flushing: Promise<void> = Promise.resolve();
  /** The write of the last level samples. Null: it has ended. */
  #storing: Promise<void> | null = null;
  #version = '';
  /** Shards of the engine's watch list, separated by blanks. */
  #watchedShards = '';

  constructor(options: BooksRoleOptions) {
    this.#options = options;
  }

  /**
   * Starts to flush. Feeds start with the first watch list, so a worker that reads listings only
   * starts none.
   */
  start(feeds: Record<VenueCode, BookFeed>): void {
    const { queries, leases, runtime, log, limits, clock } = this.#options;
    this.#feeds = feeds;
    this.#flushing = flushUpdates({
      queue: this.engine.queue,
      quotes: this.engine.quotes,
      queries,
      leases,
      runtime: runtime,
      log,
      signal: this.#lastFlush.signal,
      flushMs: limits.flushMs,
      beforeFlush: () => {
        this.engine.endFeeWaivers(clock.now());
        this.#storeLevels();
      },
      onLost: (names) => this.dropShards(names),
      stats: this.stats,
    });
  }

  async stopFeeds(): Promise<void> {
    const feeds = this.#feeds;
    if (feeds && this.#hasStartedFeeds) await Promise.all(VENUES.map((venue) => feeds[venue].stop()));
  }

  /** Flushes once more and stops flushing. */
  async finish(): Promise<void> {
    this.#lastFlush.abort();
    await this.#flushing;
    await this.#storing;
  }

  /**
   * Writes the level samples next to the flushes, which must not wait for them. A failed write is
   * not repeated: until the next sample REST returns the best level alone.
   */
  #storeLevels(): void {
    const { queries, leases, clock, log } = this.#options;
    const { levels, watchList, a, b } = this.engine;
    const samples = levels.take(watchList.pairs, { a, b }, clock.now(), this.#storing !== null);
    if (samples.length === 0) return;
    const write = () => queries.storeLevels(leases.tokens('books:'), samples);
    this.#storing = runLogged(log, 'the write of levels', write).then(() => {
      this.#storing = null;
    });
  }

  /** Starts to write these shards. */
  async acquireShards(names: readonly string[]): Promise<void> {
    const { clock, queries, log } = this.#options;
    // A worker without leases sends no heartbeat, so its clock is old. If the read fails, the
    // shards are acquired anyway: their leases are held and renewed, so no other worker would write
    // them. The next heartbeat returns the clock.
    if (names.length > 0) await runLogged(log, 'the clock read', async () => clock.set(await queries.segments()));
    for (const name of names) this.engine.acquireShard(name, clock.now());
  }

  dropShards(names: readonly string[]): void {
    for (const name of names) {
      this.engine.releaseShard(name);
      this.#options.log(`the lease ${name} was lost`);
    }
  }

  /**
   * Takes over each warm shard whose books are complete. The database rejects the next write of the
   * former holder, which then stops. A holder that does not end keeps its shard until this worker
   * reads both venues: a worker that cannot reach one must not take a shard away.
   */
  async takeOverWarmShards(): Promise<void> {
    const { leases, runtime, clock } = this.#options;
    this.engine.expireMissingBooks(runtime.now() - WARM_MS, clock.now());
    for (const [name, since] of [...leases.warming]) {
      const isWatched = this.#watchedShards.split(' ').includes(name);
      if (!(isWatched && this.engine.isWarm(name)) && runtime.now() - since < WARM_MS) continue;
      if (!leases.isEnding(name) && !(isWatched && this.engine.readsBothVenues(name))) continue;
      if (await leases.takeOver(name)) this.engine.acquireShard(name, clock.now());
    }
  }

  /** Publishes the best quotes that changed. A worker without books leaves that to the others. */
  async publishBest(): Promise<void> {
    const { leases, queries } = this.#options;
    if (leases.heldCount('books:') > 0) await queries.publishBest();
  }

  /** Reads the pairs of the shards and subscribes to their contracts. */
  async refreshWatchList(): Promise<void> {
    const { leases, queries, runtime, clock } = this.#options;
    const names = leases.namesToRead('books:');
    const watched = names.join(' ');
    const list = await queries.watchList(names, watched === this.#watchedShards ? this.#version : '');
    if (!list) return;
    this.#version = list.version;
    this.#watchedShards = watched;
    this.engine.setWatchList(list.pairs, clock.now(), runtime.now());
    for (const venue of VENUES) {
      if (this.#hasStartedFeeds) this.#feeds?.[venue].updateSubscriptions();
      else this.#feeds?.[venue].start();
    }
    this.#hasStartedFeeds = true;
  }

  /**
   * `listingsReadAt` is when a listing page of this venue was last read, market time in epoch ms.
   */
  heartbeatOf(venue: VenueCode, listingsReadAt: number | null): FeedHeartbeat {
    const feed = this.#feeds?.[venue];
    const aliveAt = Math.max(feed?.lastAliveAt ?? 0, listingsReadAt ?? 0);
    return {
      venue,
      last_message_ms: feed?.lastMessageAt ?? null,
      last_alive_ms: aliveAt > 0 ? aliveAt : null,
      detail: feed?.detail ?? '',
    };
  }
}
