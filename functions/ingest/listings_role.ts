import { AliasOverlay } from './alias_overlay.ts';
import type { SettledReader } from './backtest/source.ts';
import type { CpuBudget } from './cpu_budget.ts';
import type { IngestQueries } from './database.ts';
import type { FeedRuntime } from './feeds/feed.ts';
import type { LeaseKeeper } from './lease_keeper.ts';
import { VENUES, type VenueCode } from './listing.ts';
import { ListingSweep } from './listing_sweep.ts';
import type { ListingReader } from './readers.ts';
import { runLogged } from './repeat.ts';
import { SerialQueue } from './serial_queue.ts';
import type { Parsers, Venue } from './venues.ts';
import { MEASURED_CPU_MS, type WorkLimits } from './work_limits.ts';

export type ListingsRoleOptions = {
  limits: WorkLimits;
  queries: IngestQueries;
  leases: LeaseKeeper;
  /** Null when CPU is not limited. */
  budget: CpuBudget | null;
  listingsSeconds: number;
  /** Loads the question parsers. They are loaded with the first sweep. */
  parsers(): Promise<Parsers>;
  runtimeOf(venue: VenueCode): FeedRuntime;
  log(line: string): void;
  /** Aborted when the worker ends. */
  signal: AbortSignal;
  /** Called when the lease of some listings was released before the worker ends. */
  onRelease(): void;
};

/**
 * Sweeps the listings of the venues whose lease the worker holds. The holder of venue_a's listings
 * also refreshes statuses.
 */
export class ListingsRole {
  readonly #options: ListingsRoleOptions;
  readonly #sweeps = new Map<string, Promise<unknown>>();
  readonly #readers: Partial<Record<VenueCode, ListingReader>> = {};
  readonly #settledReaders: Partial<Record<VenueCode, SettledReader>> = {};
  readonly #readAt: Record<VenueCode, number | null> = { venue_a: null, venue_b: null };
  readonly #queue = new SerialQueue();
  readonly #aliases: AliasOverlay;
  #venues: Record<VenueCode, Venue> | null = null;
  #hasParsers = false;

  constructor(options: ListingsRoleOptions) {
    this.#options = options;
    this.#aliases = new AliasOverlay(options);
  }

  start(venues: Record<VenueCode, Venue>): void {
    this.#venues = venues;
  }

  /** When a page of this venue was last read, market time in epoch ms. */
  readAt(venue: VenueCode): number | null {
    return this.#readAt[venue];
  }

  /** Starts a sweep for each lease that has none. */
  startSweeps(): void {
    const { leases, log } = this.#options;
    for (const venue of VENUES) {
      const lease = leaseOf(venue);
      if (!leases.holds(lease) || this.#sweeps.has(lease)) continue;
      const sweep = runLogged(log, `the sweep of ${lease}`, () => this.#sweep(lease, venue));
      this.#sweeps.set(
        lease,
        sweep.finally(() => this.#sweeps.delete(lease)),
      );
    }
  }

  /** The reader of a venue's settled listings, which uses the same parsers. */
  async settledReader(venue: VenueCode): Promise<SettledReader> {
    if (!this.#venues) throw new Error('The venues are not open yet.');
    this.#settledReaders[venue] ??= this.#venues[venue].settled(await this.#options.parsers());
    return this.#settledReaders[venue];
  }

  /** Resolves when all sweeps have ended. They end at the signal. */
  async finish(): Promise<void> {
    await Promise.all(this.#sweeps.values());
  }

  async refreshStatuses(): Promise<void> {
    if (!this.#options.leases.holds(leaseOf('venue_a')) || this.#queue.isBusy) return;
    await this.#queueStatuses();
  }

  async #queueStatuses(): Promise<void> {
    await this.#queue.run(() => this.#options.queries.refreshStatuses());
  }

  async #sweep(lease: string, venue: VenueCode): Promise<void> {
    const { limits, queries, leases, budget, runtimeOf, listingsSeconds, signal } = this.#options;
    const runtime = runtimeOf(venue);
    const sweep = new ListingSweep({
      reader: await this.#readerOf(venue),
      queries,
      queue: this.#queue,
      runtime,
      holdsLease: () => leases.holds(lease),
      tryPage: () => budget?.tryPage() ?? true,
      listingsSeconds,
      alwaysRests: limits.singleRole,
      pageEvents: limits.pageEvents,
      maxUnsettled: limits.maxUnsettled,
      aliases: this.#aliases,
      onPage: () => {
        this.#readAt[venue] = runtime.marketNow();
      },
    });
    await sweep.run(signal);
    await this.#release(lease);
  }

  async #readerOf(venue: VenueCode): Promise<ListingReader> {
    const { budget, parsers } = this.#options;
    if (!this.#venues) throw new Error('The venues are not open yet.');
    if (!this.#hasParsers) budget?.charge(MEASURED_CPU_MS.parsersMs);
    this.#hasParsers = true;
    const loaded = await parsers();
    this.#readers[venue] ??= this.#venues[venue].listings(loaded);
    return this.#readers[venue];
  }

  /**
   * Releases the lease when the CPU of this call is used up, so that the next call continues at
   * once and not only when this one ends.
   */
  async #release(lease: string): Promise<void> {
    const { leases, log, signal, onRelease } = this.#options;
    if (signal.aborted || !leases.holds(lease)) return;
    // A call may hold the listings of venue_a for less than the interval of the status refresh.
    if (lease === leaseOf('venue_a')) await runLogged(log, 'the status refresh', () => this.#queueStatuses());
    await runLogged(log, `the release of ${lease}`, () => leases.release(lease));
    onRelease();
  }
}

function leaseOf(venue: VenueCode): string {
  return `listings:${venue}`;
}
