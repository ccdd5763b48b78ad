import { describeError } from '../_shared/pool/error_fields.ts';
import { backoffDelay } from '../_shared/runtime.ts';
import type { IngestQueries } from './database.ts';
import type { FeedRuntime } from './feeds/feed.ts';
import { rejectedRow } from './feeds/parse.ts';
import { PaginationGuard, RestError } from './feeds/rest.ts';
import type { ListingBatch, RejectedRow } from './listing.ts';
import type { ListingReader } from './readers.ts';
import type { SerialQueue } from './serial_queue.ts';

export type ListingSweepOptions = {
  reader: ListingReader;
  queries: IngestQueries;
  queue: SerialQueue;
  runtime: FeedRuntime;
  /** Whether the lease of these listings is still ours; asked before each write. */
  holdsLease(): boolean;
  /** Takes one page off the CPU budget; false when nothing is left. */
  tryPage(): boolean;
  /** Rest between two sweeps. */
  listingsSeconds: number;
  /** Whether it rests after somebody else's sweep as well: calls that each began one would do nothing else. */
  alwaysRests: boolean;
  /** Events awaiting their result that are read at once. */
  maxUnsettled: number;
  /** A page was read: the venue lives. */
  onPage(): void;
};

const UNSETTLED_MS = 15_000;
/** Between two looks whether somebody else's sweep is long enough ago. */
const REST_CHECK_MS = 5_000;
/** Between two looks at the clock. */
const IDLE_MS = 500;
/** An event that the venue no longer has is not asked for again before this. */
const MISSING_RETRY_MS = 600_000;
const MAX_MISSING = 5_000;

/**
 * The walk through one venue's listings. After each page the cursor is stored, so whoever comes next goes on where this one ended, however
 * it ended; a page that was written twice changes nothing.
 */
export class ListingSweep {
  readonly #options: ListingSweepOptions;
  #current: { sweep: string; cursor: string | null; guard: PaginationGuard } | null = null;
  #nextSweepAt = 0;
  #nextUnsettledAt = 0;
  #failures = 0;
  readonly #missing = new Map<string, number>();
  sweeps = 0;
  pages = 0;

  constructor(options: ListingSweepOptions) {
    this.#options = options;
  }

  /** Sweeps until the lease is lost, the CPU budget is used up or the worker ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { runtime, holdsLease, tryPage } = this.#options;
    while (!signal.aborted && holdsLease()) {
      let wait = IDLE_MS;
      try {
        if (runtime.now() >= this.#nextUnsettledAt) {
          const read = await this.#readUnsettled();
          if (read && !tryPage()) break;
        }
        if (runtime.now() >= this.#nextSweepAt && holdsLease()) {
          if (!tryPage()) break;
          wait = (await this.#readPage()) ? 0 : IDLE_MS;
        }
        this.#failures = 0;
      } catch (error) {
        await this.#onFailure(error);
        wait = backoffDelay(this.#failures++, 1_000, 30_000, runtime.random);
      }
      await runtime.sleep(wait, signal);
    }
    // Whoever has the lease next may have moved the cursor.
    this.#current = null;
  }

  /** One page; false where it is not time for a sweep yet. */
  async #readPage(): Promise<boolean> {
    const { reader, queries, queue, runtime, holdsLease } = this.#options;
    const venue = reader.venue;
    if (!this.#current) {
      const resumed = await queries.resumeSweep(venue, this.#options.alwaysRests ? this.#options.listingsSeconds : 0);
      if (!resumed) {
        this.#nextSweepAt = runtime.now() + REST_CHECK_MS;
        return false;
      }
      const { series, rejected } = await reader.begin(runtime.now());
      await queue.run(async () => {
        if (series.length > 0) await queries.upsertSeries(venue, series);
        if (rejected.length > 0) await queries.recordRejectedRows(venue, rejected);
      });
      this.#current = { ...resumed, guard: new PaginationGuard() };
    }
    const walk = this.#current;
    const page = await reader.page(walk.cursor);
    this.#options.onPage();
    if (!holdsLease()) return true;
    const next = walk.guard.next(page.cursor);
    // Rows shift while pages are read, so an event can come twice.
    page.batch.events = page.batch.events.filter((event) => walk.guard.isNew(event.event_id));
    await queue.run(async () => {
      await this.#storeBatch(walk.sweep, page.batch);
      await queries.advanceSweep(venue, walk.sweep, next, page.batch.events.length);
    });
    this.pages += 1;
    walk.cursor = next;
    if (next !== null) return true;
    await queue.run(async () => {
      await queries.finishSweep(venue, walk.sweep);
      if (!(await queries.matchListings())) runtime.log('pipeline.match_listings() is not in this database');
    });
    this.#current = null;
    this.sweeps += 1;
    this.#nextSweepAt = runtime.now() + this.#options.listingsSeconds * 1_000;
    return true;
  }

  /** Events whose result is awaited are no longer in the open listings, so they are read by name. Returns whether any was. */
  async #readUnsettled(): Promise<boolean> {
    const { reader, queries, queue, runtime, holdsLease } = this.#options;
    const now = runtime.now();
    this.#nextUnsettledAt = now + UNSETTLED_MS;
    for (const [id, at] of this.#missing) if (now - at > MISSING_RETRY_MS) this.#missing.delete(id);
    const awaited = await queries.unsettledEvents(reader.venue, this.#options.maxUnsettled + this.#missing.size);
    const ids = awaited.filter((id) => !this.#missing.has(id)).slice(0, this.#options.maxUnsettled);
    if (ids.length === 0) return false;
    const { batch, missing } = await reader.eventsById(ids);
    if (!holdsLease()) return false;
    for (const id of missing) if (this.#missing.size < MAX_MISSING) this.#missing.set(id, now);
    await queue.run(() => this.#storeBatch(null, batch));
    return true;
  }

  /** A whole page, or, where the database refuses something in it, event by event: one bad row must not stop the walk for ever. */
  async #storeBatch(sweep: string | null, batch: ListingBatch): Promise<void> {
    const { queries, reader } = this.#options;
    try {
      await queries.upsertListings(reader.venue, sweep, batch);
      return;
    } catch (error) {
      if (!isDataError(error)) throw error;
    }
    const refused: RejectedRow[] = [];
    for (const event of batch.events) {
      try {
        await queries.upsertListings(reader.venue, sweep, { events: [event], rejected: [] });
      } catch (error) {
        if (!isDataError(error)) throw error;
        refused.push(
          rejectedRow(
            'event',
            event.event_id,
            'event.refused',
            `The database refuses it: ${error.message}`,
            event.payload,
          ),
        );
      }
    }
    await queries.recordRejectedRows(reader.venue, [...batch.rejected, ...refused]);
  }

  async #onFailure(error: unknown): Promise<void> {
    const { reader, queries, runtime } = this.#options;
    const why = error instanceof Error ? error.message : String(error);
    runtime.log(`${reader.venue} listings: ${describeError(error)}`);
    const walk = this.#current;
    this.#current = null;
    try {
      await queries.recordSweepFailure(reader.venue, why);
      // A cursor that the venue no longer takes, or that leads in a circle, would fail for ever: the same sweep begins at page 1.
      const spoilt =
        error instanceof RestError &&
        (error.code === 'rest.same_cursor' || (error.status !== null && error.status >= 400 && error.status < 500));
      if (walk && walk.cursor !== null && spoilt) await queries.advanceSweep(reader.venue, walk.sweep, null, 0);
    } catch (second) {
      runtime.log(`${reader.venue} listings: the failure could not be noted: ${String(second)}`);
    }
  }
}

/** SQLSTATE classes 21 (twice in one statement), 22 (data), 23 (constraints) and 54 (too large): the row is at fault, and would be again. */
function isDataError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:2[123]|54)/.test(String(error.code));
}
