import { describeError } from '../_shared/pool/error_fields.ts';
import { backoffDelay } from '../_shared/runtime.ts';
import type { AliasOverlay } from './alias_overlay.ts';
import type { IngestQueries, ResumedSweep } from './database.ts';
import { chunks, type FeedRuntime } from './feeds/feed.ts';
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
  /** Whether this worker still holds the lease of these listings. Called before each write. */
  holdsLease(): boolean;
  /** Charges one page to the CPU budget. Returns false when the budget is used up. */
  tryPage(): boolean;
  /** Pause between two sweeps. */
  listingsSeconds: number;
  /**
   * Whether it also pauses after a sweep of another worker. Otherwise every limited call would
   * start a sweep and do nothing else.
   */
  alwaysRests: boolean;
  /** Number of events of one page. */
  pageEvents: number;
  /** Number of events awaiting their result that are read at once. */
  maxUnsettled: number;
  /** The confirmed aliases. Without it, the parsers keep what they know. */
  aliases?: Pick<AliasOverlay, 'refresh'>;
  /** A page was read, so the venue is alive. */
  onPage(): void;
};

/** Events that one query names as to be read again because of a changed alias. */
const MAX_ALIAS_EVENTS = 1_000;
const UNSETTLED_MS = 15_000;
/** Pause before it checks again whether the last sweep of another worker is long enough ago. */
const REST_CHECK_MS = 5_000;
/** Pause when there is nothing to do. */
const IDLE_MS = 500;
/** An event that the venue no longer has is requested again after this time. */
const MISSING_RETRY_MS = 600_000;
const MAX_MISSING = 5_000;

/**
 * Sweeps the listings of one venue. The cursor is stored after each page, so the next holder of the
 * lease continues there, however this sweep ends. A page that is written twice changes nothing.
 */
export class ListingSweep {
  readonly #options: ListingSweepOptions;
  #current: (ResumedSweep & { guard: PaginationGuard }) | null = null;
  #nextSweepAt = 0;
  #nextUnsettledAt = 0;
  #failures = 0;
  readonly #missing = new Map<string, number>();
  /** The alias version for which all listings were read. */
  #aliasVersion = 0;
  sweeps = 0;
  /** Events that were read again because of a changed alias. */
  reread = 0;
  pages = 0;

  constructor(options: ListingSweepOptions) {
    this.#options = options;
  }

  /** Sweeps until the lease is lost, the CPU budget is used up, or the worker ends. */
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
    // The next holder of the lease may have moved the cursor.
    this.#current = null;
  }

  /** Reads one page. Returns false when no sweep is due. */
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
      if (!(await this.#readChangedNames())) return true;
      this.#current = { ...resumed, guard: new PaginationGuard() };
    }
    const current = this.#current;
    const page = await reader.page(current.cursor, this.#pageEventsOf(current));
    this.#options.onPage();
    if (!holdsLease()) return true;
    const next = current.guard.next(page.cursor);
    // Rows shift between pages, so an event can come twice.
    page.batch.events = page.batch.events.filter((event) => current.guard.isNew(event.event_id));
    await queue.run(async () => {
      await this.#storeBatch(current.sweep, page.batch);
      await queries.advanceSweep(venue, current.sweep, next, page.batch.events.length);
    });
    this.pages += 1;
    current.cursor = next;
    current.attempts = 1;
    if (next !== null) return true;
    await queue.run(async () => {
      await queries.finishSweep(venue, current.sweep);
      if (!(await queries.matchListings())) runtime.log('the database has no function pipeline.match_listings()');
    });
    this.#current = null;
    this.sweeps += 1;
    this.#nextSweepAt = runtime.now() + this.#options.listingsSeconds * 1_000;
    return true;
  }

  /**
   * A page that was started before and never written is too large for a call, so each attempt
   * halves it.
   */
  #pageEventsOf({ attempts }: ResumedSweep): number {
    return Math.max(1, Math.floor(this.#options.pageEvents / 2 ** (attempts - 1)));
  }

  /**
   * Before a sweep: gives the changed aliases to the parsers, and reads the events again whose
   * listing holds one. A sweep parses every listing again, but it takes minutes, and it does not
   * list events whose trading ended. Returns false when it was stopped. The next call continues
   * after the last event that was read.
   */
  async #readChangedNames(): Promise<boolean> {
    const { aliases, reader, queries, queue, maxUnsettled, holdsLease, tryPage } = this.#options;
    const version = (await aliases?.refresh()) ?? 0;
    while (version > this.#aliasVersion) {
      const ids = await queries.aliasEvents(reader.venue, version, MAX_ALIAS_EVENTS);
      for (const part of chunks(ids, maxUnsettled)) {
        if (!tryPage()) return false;
        const batch = await this.#readAgain(part);
        if (!holdsLease()) return false;
        await queue.run(async () => {
          await this.#storeBatch(null, batch);
          await queries.recordAliasRead(reader.venue, version, part.at(-1) ?? null);
        });
        this.reread += batch.events.length;
      }
      if (ids.length === MAX_ALIAS_EVENTS) continue;
      await queries.recordAliasRead(reader.venue, version, null);
      this.#aliasVersion = version;
    }
    return holdsLease();
  }

  /**
   * An event that the venue refuses to return must not stop the sweeps. The sweep parses it again
   * if the venue still lists it.
   */
  async #readAgain(ids: readonly string[]): Promise<ListingBatch> {
    try {
      return (await this.#options.reader.eventsById(ids)).batch;
    } catch (error) {
      const isRefused = error instanceof RestError && [400, 404, 410, 414, 422].includes(error.status ?? 0);
      if (!isRefused) throw error;
      this.#options.runtime.log(`events with a changed alias could not be read again: ${describeError(error)}`);
      return { events: [], rejected: [] };
    }
  }

  /**
   * Reads events that await their result by id, because the open listings no longer contain them.
   * Returns whether there were any.
   */
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

  /**
   * Stores a whole page. When the database rejects a row of it, stores the page event by event, so
   * that one bad row does not stop the sweep for ever.
   */
  async #storeBatch(sweep: string | null, batch: ListingBatch): Promise<void> {
    const { queries, reader } = this.#options;
    try {
      await queries.upsertListings(reader.venue, sweep, batch);
      return;
    } catch (error) {
      if (!isDataError(error)) throw error;
    }
    const rejectedEvents: RejectedRow[] = [];
    for (const event of batch.events) {
      try {
        await queries.upsertListings(reader.venue, sweep, { events: [event], rejected: [] });
      } catch (error) {
        if (!isDataError(error)) throw error;
        rejectedEvents.push(
          rejectedRow(
            'event',
            event.event_id,
            'event.refused',
            `The database rejects the event: ${error.message}`,
            event.payload,
          ),
        );
      }
    }
    await queries.recordRejectedRows(reader.venue, [...batch.rejected, ...rejectedEvents]);
  }

  async #onFailure(error: unknown): Promise<void> {
    const { reader, queries, runtime } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    runtime.log(`the sweep of ${reader.venue} failed: ${describeError(error)}`);
    const current = this.#current;
    this.#current = null;
    try {
      await queries.recordSweepFailure(reader.venue, reason);
      // A cursor that the venue rejects or that goes round in a circle would fail for ever, so the
      // same sweep starts again at page 1.
      const isCursorBad =
        error instanceof RestError &&
        (error.code === 'rest.same_cursor' ||
          error.code === 'rest.endless' ||
          (error.status !== null && error.status >= 400 && error.status < 500));
      if (current && current.cursor !== null && isCursorBad)
        await queries.advanceSweep(reader.venue, current.sweep, null, 0);
    } catch (secondError) {
      runtime.log(`the failed sweep of ${reader.venue} could not be recorded: ${String(secondError)}`);
    }
  }
}

/**
 * SQLSTATE classes 21 (row twice in one statement), 22 (data), 23 (constraints) and 54 (too large):
 * the row is bad, and a retry would fail again.
 */
function isDataError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:2[123]|54)/.test(String(error.code));
}
