import type { SocketFactory } from '../_shared/reconnecting_socket.ts';
import type { Runtime } from '../_shared/runtime.ts';
import { BACKTEST_LEASE, BacktestRole } from './backtest_role.ts';
import { BooksRole } from './books_role.ts';
import { MarketClock } from './clock.ts';
import { type CpuBudget, HANDOVER_MS } from './cpu_budget.ts';
import type { IngestQueries } from './database.ts';
import type { FeedRuntime } from './feeds/feed.ts';
import { UnknownValues } from './feeds/unknown.ts';
import type { FlushStats } from './flush.ts';
import { LeaseKeeper } from './lease_keeper.ts';
import { VENUES, type VenueCode } from './listing.ts';
import { ListingsRole } from './listings_role.ts';
import { RejectedMessages } from './rejected_messages.ts';
import { repeat, runLogged } from './repeat.ts';
import type { Settings } from './settings.ts';
import { openVenues, type Parsers } from './venues.ts';
import { MEASURED_CPU_MS, type WorkLimits } from './work_limits.ts';

export type IngestWorkerOptions = {
  settings: Settings;
  limits: WorkLimits;
  queries: IngestQueries;
  runtime: Runtime;
  openSocket: SocketFactory;
  /** Loads the question parsers. A worker that reads books only does not load them. */
  parsers(): Promise<Parsers>;
  log(line: string): void;
  /** When the worker stops by itself, real epoch ms. Null for never. */
  endsAt: number | null;
  /** The CPU budget. Null when CPU is not limited. */
  budget: CpuBudget | null;
};

const LEASES_INTERVAL_MS = 3_000;
/** A lease lives for 10 s, so a renewal that failed is tried again soon. */
const RENEWAL_RETRY_MS = 500;
const REJECTED_INTERVAL_MS = 5_000;
const CPU_INTERVAL_MS = 1_000;
const HANDOVER_INTERVAL_MS = 1_000;
/**
 * Other workers claim 3 s after their last claim, which may be slow on a busy machine. Without a
 * successor after this time, there is no other worker.
 */
const SUCCESSOR_MS = 6_000;

type Role = 'books' | 'listings' | 'backtest';

/**
 * One worker run: it claims leases, reads what they name, and writes until it is time to stop. The
 * function runs one per isolate, the container runs one without an end. Several workers share the
 * work by leases.
 *
 * Each part has a file: leases in lease_keeper.ts, order books in books_role.ts, listings in
 * listings_role.ts, and the CPU of a limited call in cpu_budget.ts. The worker only connects them.
 */
export class IngestWorker {
  readonly #options: IngestWorkerOptions;
  readonly #stopping = new AbortController();
  readonly #clock: MarketClock;
  readonly #leases: LeaseKeeper;
  readonly #books: BooksRole;
  readonly #listings: ListingsRole;
  readonly #backtest: BacktestRole;
  readonly #rejected = { venue_a: new RejectedMessages('venue_a'), venue_b: new RejectedMessages('venue_b') };
  readonly #unknown = { venue_a: new UnknownValues('venue_a'), venue_b: new UnknownValues('venue_b') };
  #role: Role | null = null;
  #renewedAt: number | null = null;
  #claimedAt: number | null = null;

  constructor(options: IngestWorkerOptions) {
    const { limits, queries, runtime, budget, log, endsAt, settings } = options;
    this.#options = options;
    this.#clock = new MarketClock(() => runtime.now());
    this.#leases = new LeaseKeeper({ queries, endsAt, announces: budget !== null });
    this.#books = new BooksRole({ limits, queries, leases: this.#leases, clock: this.#clock, runtime, log });
    this.#listings = new ListingsRole({
      limits,
      queries,
      leases: this.#leases,
      budget,
      listingsSeconds: settings.listingsSeconds,
      parsers: options.parsers,
      runtimeOf: (venue) => this.#runtimeOf(venue),
      log,
      signal: this.#stopping.signal,
      onRelease: () => this.#stopWithoutListings(),
    });
    this.#backtest = new BacktestRole({
      queries,
      leases: this.#leases,
      budget,
      pageEvents: limits.settledEvents,
      reader: (venue) => this.#listings.settledReader(venue),
      runtime,
      log,
      signal: this.#stopping.signal,
      onRelease: () => {
        if (this.#role === 'backtest') this.stop();
      },
    });
  }

  get heldLeases(): string[] {
    return this.#leases.names;
  }

  /**
   * The role of a worker that has a single one, as soon as it has a lease. Null for a worker with
   * all roles.
   */
  get role(): Role | null {
    return this.#role;
  }

  /** When the worker stops by itself, real epoch ms. Infinity for never. */
  get endsAt(): number {
    return this.#leases.endsAt;
  }

  /** When the leases were last renewed and claimed, real epoch ms. Null before the first time. */
  get maintainedAt(): number | null {
    if (this.#renewedAt === null || this.#claimedAt === null) return null;
    return Math.min(this.#renewedAt, this.#claimedAt);
  }

  get flushed(): FlushStats {
    return this.#books.stats;
  }

  /** Price updates that wait for a flush. */
  get waiting(): number {
    return this.#books.engine.queue.length;
  }

  get lost(): number {
    return this.#books.engine.queue.lost;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Hands the shards over to other workers, which read them until then: no price becomes void.
   * Resolves when they have them, after `limitMs`, or earlier where no other worker takes them.
   */
  async handOver(limitMs: number): Promise<void> {
    const { runtime, log } = this.#options;
    const startedAt = runtime.now();
    await runLogged(log, 'the handover', async () => {
      while (this.#leases.heldCount('books:') > 0 && runtime.now() < startedAt + limitMs) {
        const unreserved = await this.#leases.announceEnd(startedAt + limitMs);
        if (unreserved > 0 && runtime.now() - startedAt > SUCCESSOR_MS) return;
        await runtime.sleep(HANDOVER_INTERVAL_MS);
      }
    });
  }

  /**
   * Reads until `stop`, until `endsAt`, or until there is nothing to do. Never rejects: failed work
   * is logged and tried again.
   */
  async run(): Promise<void> {
    const { limits, log, queries } = this.#options;
    await runLogged(log, 'the clock read', async () => this.#clock.set(await queries.segments()));
    await this.#openVenues();
    const reading = Promise.all([
      // On its own: claims and reads of the watch list may take longer than a lease lives.
      this.#repeat(LEASES_INTERVAL_MS, 'the lease renewal', () => this.#renewLeases(), RENEWAL_RETRY_MS),
      this.#repeat(LEASES_INTERVAL_MS, 'the lease maintenance', () => this.#maintainLeases()),
      this.#repeat(limits.handoverMs, 'the takeover', () => this.#books.takeOverWarmShards()),
      this.#repeat(limits.watchMs, 'the watch list refresh', () => this.#books.refreshWatchList()),
      this.#repeat(limits.heartbeatMs, 'the heartbeat', () => this.#heartbeat()),
      limits.bestMs && this.#repeat(limits.bestMs, 'the best quotes', () => this.#books.publishBest()),
      this.#repeat(REJECTED_INTERVAL_MS, 'the write of rejected messages', () => this.#writeRejected()),
      this.#repeat(CPU_INTERVAL_MS, 'the CPU check', () => this.#watchCpu()),
    ]);
    // A statement of the listings may take two minutes. Another worker takes the books meanwhile.
    await Promise.all([
      reading.then(() => this.#finishBooks()),
      this.#repeat(limits.statusesMs, 'the status refresh', () => this.#listings.refreshStatuses()),
    ]);
    await this.#listings.finish();
    await this.#backtest.finish();
    await runLogged(log, 'the write of rejected messages', () => this.#writeRejected());
    await this.releaseLeases();
  }

  /** Releases the leases while a statement still runs, so that other workers go on at once. */
  async releaseLeases(): Promise<void> {
    await runLogged(this.#options.log, 'the lease release', () => this.#leases.release());
  }

  async #finishBooks(): Promise<void> {
    await this.#books.stopFeeds();
    await this.#books.finish();
    await runLogged(this.#options.log, 'the release of the books', () => this.#leases.release('books:'));
  }

  async #openVenues(): Promise<void> {
    const { settings, openSocket, limits, budget } = this.#options;
    const venues = await openVenues({
      settings,
      engine: this.#books.engine,
      runtimes: { venue_a: this.#runtimeOf('venue_a'), venue_b: this.#runtimeOf('venue_b') },
      openSocket: budget ? budget.chargedSockets(openSocket) : openSocket,
      signal: this.#stopping.signal,
      quietMs: limits.quietMs,
      onBody: budget ? (characters) => budget.chargeBody(characters) : undefined,
    });
    this.#listings.start(venues);
    this.#books.start({ venue_a: venues.venue_a.feed, venue_b: venues.venue_b.feed });
  }

  async #renewLeases(): Promise<void> {
    const { limits, runtime } = this.#options;
    this.#books.dropShards(await this.#leases.renew());
    this.#renewedAt = runtime.now();
    if (limits.singleRole && this.#leases.hasLostAll) this.stop();
  }

  async #maintainLeases(): Promise<void> {
    const { limits, runtime } = this.#options;
    const now = runtime.now();
    if (now >= this.endsAt) return this.stop();
    await this.#leases.announceHandover(now);
    const claimed = await this.#claimBooks(now);
    await this.#claimListings(now);
    this.#listings.startSweeps();
    await this.#claimBacktest(now);
    this.#backtest.start();
    this.#claimedAt = runtime.now();
    if (claimed.length > 0 || this.#leases.warmingCount('books:') > 0) await this.#books.refreshWatchList();
    if (this.#leases.isIdle(now, limits.idleMs)) this.stop();
  }

  async #claimBooks(now: number): Promise<string[]> {
    // Two workers that end would take each other's shards.
    if ((this.#role !== null && this.#role !== 'books') || this.#leases.endsEarly) return [];
    const { limits, budget } = this.#options;
    const claimed = await this.#leases.claim('books:', limits.bookShards, now);
    if (this.#takeRole('books')) budget?.charge(MEASURED_CPU_MS.warmMs);
    await this.#books.acquireShards(claimed);
    return claimed;
  }

  async #claimListings(now: number): Promise<void> {
    if ((this.#role !== null && this.#role !== 'listings') || this.#leases.endsEarly) return;
    await this.#leases.claim('listings:', this.#options.limits.listingVenues, now);
    this.#takeRole('listings');
  }

  /**
   * A limited worker reads the settled history only when no books and listings are left to read.
   */
  async #claimBacktest(now: number): Promise<void> {
    if ((this.#role !== null && this.#role !== 'backtest') || this.#leases.endsEarly) return;
    await this.#leases.claim(BACKTEST_LEASE, 1, now);
    this.#takeRole('backtest');
  }

  /**
   * A worker with a single role keeps the role whose lease it gets first. Returns true when it
   * takes the role now.
   */
  #takeRole(role: Role): boolean {
    const prefix = role === 'backtest' ? BACKTEST_LEASE : `${role}:`;
    if (!this.#options.limits.singleRole || this.#role || this.#leases.namesToRead(prefix).length === 0) return false;
    this.#role = role;
    return true;
  }

  #stopWithoutListings(): void {
    if (this.#role === 'listings' && this.#leases.heldCount('listings:') === 0) this.stop();
  }

  /**
   * Stops before the CPU is used up. Announces the handover while there is enough CPU to read on
   * until a successor has taken over.
   */
  async #watchCpu(): Promise<void> {
    const { budget, runtime } = this.#options;
    if (!budget) return;
    if (budget.mustStop(this.#role)) return this.stop();
    const now = runtime.now();
    if (!budget.needsHandover(this.#leases.heldCount('books:')) || this.endsAt <= now + HANDOVER_MS) return;
    this.#leases.endBy(now + HANDOVER_MS);
    await this.#leases.announceHandover(now);
  }

  async #heartbeat(): Promise<void> {
    if (!this.#leases.holdsAny) return;
    const { queries, settings } = this.#options;
    const feeds = VENUES.map((venue) => this.#books.heartbeatOf(venue, this.#listings.readAt(venue)));
    this.#clock.set(await queries.heartbeat(settings.source, feeds));
  }

  async #writeRejected(): Promise<void> {
    for (const venue of VENUES) {
      await this.#rejected[venue].flush(this.#options.queries);
      await this.#unknown[venue].flush(this.#options.queries);
    }
  }

  async #repeat(ms: number, task: string, work: () => Promise<void>, retryMs?: number): Promise<void> {
    const { runtime, log } = this.#options;
    await repeat({
      ms,
      retryMs,
      task,
      work,
      sleep: (pause, signal) => runtime.sleep(pause, signal),
      signal: this.#stopping.signal,
      log,
    });
  }

  #runtimeOf(venue: VenueCode): FeedRuntime {
    return {
      ...this.#options.runtime,
      marketNow: () => this.#clock.now(),
      segment: () => this.#clock.segment(),
      reject: (row) => this.#rejected[venue].add(row),
      unknown: this.#unknown[venue],
      log: this.#options.log,
    };
  }
}
