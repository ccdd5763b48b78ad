import { errorWords } from '../_shared/pool/error_fields.ts';
import { backOff } from '../_shared/surroundings.ts';
import type { IngestQueries } from './database.ts';
import type { FeedSurroundings } from './feeds/feed.ts';
import { setAside } from './feeds/parse.ts';
import { PageGuard, RestError } from './feeds/rest.ts';
import type { ListingBatch, SetAside } from './listing.ts';
import type { ListingReader } from './readers.ts';
import type { SerialQueue } from './serial_queue.ts';

export type ListingSweepOptions = {
  reader: ListingReader;
  queries: IngestQueries;
  background: SerialQueue;
  around: FeedSurroundings;
  /** Whether the lease of these listings is still ours; asked before each write. */
  holds(): boolean;
  /** Takes one page off the CPU budget; false when nothing is left. */
  spend(): boolean;
  /** Rest between two sweeps. */
  listingsSeconds: number;
  /** Whether it rests after somebody else's sweep as well: calls that each began one would do nothing else. */
  restAlways: boolean;
  /** Events awaiting their result that are read at once. */
  unsettled: number;
  /** A page was read: the venue lives. */
  alive(): void;
};

const UNSETTLED_MS = 15_000;
/** Between two looks whether somebody else's sweep is long enough ago. */
const REST_MS = 5_000;
/** Between two looks at the clock. */
const IDLE_MS = 500;
/** An event that the venue no longer has is not asked for again before this. */
const MISSING_MS = 600_000;
const MOST_MISSING = 5_000;

/**
 * The walk through one venue's listings. After each page the cursor is stored, so whoever comes next goes on where this one ended, however
 * it ended; a page that was written twice changes nothing.
 */
export class ListingSweep {
  private readonly options: ListingSweepOptions;
  private current: { sweep: string; cursor: string | null; guard: PageGuard } | null = null;
  private nextSweepAt = 0;
  private nextUnsettledAt = 0;
  private failures = 0;
  private readonly missing = new Map<string, number>();
  sweeps = 0;
  pages = 0;

  constructor(options: ListingSweepOptions) {
    this.options = options;
  }

  /** Sweeps until the lease is lost, the CPU budget is used up or the worker ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { around, holds, spend } = this.options;
    while (!signal.aborted && holds()) {
      let wait = IDLE_MS;
      try {
        if (around.now() >= this.nextUnsettledAt) {
          const read = await this.readUnsettled();
          if (read && !spend()) break;
        }
        if (around.now() >= this.nextSweepAt && holds()) {
          if (!spend()) break;
          wait = (await this.step()) ? 0 : IDLE_MS;
        }
        this.failures = 0;
      } catch (error) {
        await this.failed(error);
        wait = backOff(this.failures++, 1_000, 30_000, around.random);
      }
      await around.sleep(wait, signal);
    }
    // Whoever has the lease next may have moved the cursor.
    this.current = null;
  }

  /** One page; false where it is not time for a sweep yet. */
  private async step(): Promise<boolean> {
    const { reader, queries, background, around, holds } = this.options;
    const venue = reader.venue;
    if (!this.current) {
      const resumed = await queries.resumeSweep(venue, this.options.restAlways ? this.options.listingsSeconds : 0);
      if (!resumed) {
        this.nextSweepAt = around.now() + REST_MS;
        return false;
      }
      const { series, set_aside } = await reader.begin(around.now());
      await background.run(async () => {
        if (series.length > 0) await queries.putSeries(venue, series);
        if (set_aside.length > 0) await queries.setAside(venue, set_aside);
      });
      this.current = { ...resumed, guard: new PageGuard() };
    }
    const walk = this.current;
    const page = await reader.page(walk.cursor);
    this.options.alive();
    if (!holds()) return true;
    const next = walk.guard.next(page.cursor);
    // Rows shift while pages are read, so an event can come twice.
    page.batch.events = page.batch.events.filter((event) => walk.guard.fresh(event.event_id));
    await background.run(async () => {
      await this.put(walk.sweep, page.batch);
      await queries.advanceSweep(venue, walk.sweep, next, page.batch.events.length);
    });
    this.pages += 1;
    walk.cursor = next;
    if (next !== null) return true;
    await background.run(async () => {
      await queries.finishSweep(venue, walk.sweep);
      if (!(await queries.matchPass())) around.log('pipeline.match_listings() is not in this database');
    });
    this.current = null;
    this.sweeps += 1;
    this.nextSweepAt = around.now() + this.options.listingsSeconds * 1_000;
    return true;
  }

  /** Events whose result is awaited are no longer in the open listings, so they are read by name. Returns whether any was. */
  private async readUnsettled(): Promise<boolean> {
    const { reader, queries, background, around, holds } = this.options;
    const now = around.now();
    this.nextUnsettledAt = now + UNSETTLED_MS;
    for (const [id, at] of this.missing) if (now - at > MISSING_MS) this.missing.delete(id);
    const awaited = await queries.unsettled(reader.venue, this.options.unsettled + this.missing.size);
    const ids = awaited.filter((id) => !this.missing.has(id)).slice(0, this.options.unsettled);
    if (ids.length === 0) return false;
    const { batch, missing } = await reader.named(ids);
    if (!holds()) return false;
    for (const id of missing) if (this.missing.size < MOST_MISSING) this.missing.set(id, now);
    await background.run(() => this.put(null, batch));
    return true;
  }

  /** A whole page, or, where the database refuses something in it, event by event: one bad row must not stop the walk for ever. */
  private async put(sweep: string | null, batch: ListingBatch): Promise<void> {
    const { queries, reader } = this.options;
    try {
      await queries.putListings(reader.venue, sweep, batch);
      return;
    } catch (error) {
      if (!isDataFault(error)) throw error;
    }
    const refused: SetAside[] = [];
    for (const event of batch.events) {
      try {
        await queries.putListings(reader.venue, sweep, { events: [event], set_aside: [] });
      } catch (error) {
        if (!isDataFault(error)) throw error;
        refused.push(
          setAside(
            'event',
            event.event_id,
            'event.refused',
            `The database refuses it: ${error.message}`,
            event.payload,
          ),
        );
      }
    }
    await queries.setAside(reader.venue, [...batch.set_aside, ...refused]);
  }

  private async failed(error: unknown): Promise<void> {
    const { reader, queries, around } = this.options;
    const why = error instanceof Error ? error.message : String(error);
    around.log(`${reader.venue} listings: ${errorWords(error)}`);
    const walk = this.current;
    this.current = null;
    try {
      await queries.sweepFailed(reader.venue, why);
      // A cursor that the venue no longer takes, or that leads in a circle, would fail for ever: the same sweep begins at page 1.
      const spoilt =
        error instanceof RestError &&
        (error.code === 'rest.same_cursor' || (error.status !== null && error.status >= 400 && error.status < 500));
      if (walk && walk.cursor !== null && spoilt) await queries.advanceSweep(reader.venue, walk.sweep, null, 0);
    } catch (second) {
      around.log(`${reader.venue} listings: the failure could not be noted: ${String(second)}`);
    }
  }
}

/** SQLSTATE classes 21 (twice in one statement), 22 (data), 23 (constraints) and 54 (too large): the row is at fault, and would be again. */
function isDataFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:2[123]|54)/.test(String(error.code));
}
