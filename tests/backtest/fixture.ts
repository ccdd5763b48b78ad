import { BACKTEST_LEASE, BacktestRole } from '../../functions/ingest/backtest_role.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import type { FeedRuntime } from '../../functions/ingest/feeds/feed.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import { LeaseKeeper } from '../../functions/ingest/lease_keeper.ts';
import { VENUES, type VenueCode } from '../../functions/ingest/listing.ts';
import { ListingSweep } from '../../functions/ingest/listing_sweep.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import { SerialQueue } from '../../functions/ingest/serial_queue.ts';
import { openWithNode } from '../../functions/ingest/sockets.ts';
import { openVenues, type Venue } from '../../functions/ingest/venues.ts';
import { workLimitsFor } from '../../functions/ingest/work_limits.ts';
import { type BacktestProgress, isComplete, readProgress } from '../../local/backtest/progress.ts';
import { settingsFor } from '../ingest/fixture.ts';
import { runtime } from '../ingest/runtime.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import type { RunningVenues } from '../venue_simulator/fixture.ts';

/** The adapters of ingest in this process, for one database and one simulator. */
export type Backtester = {
  queries: IngestQueries;
  lines: string[];
  /** Sweeps both venues once, and matches their open listings. */
  sweep(): Promise<void>;
  /** Starts a worker that runs the backtest. `kill` ends it without releasing its lease. */
  start(): Promise<{ role: BacktestRole; kill(): Promise<void> }>;
  close(): Promise<void>;
};

export async function openBacktester(
  venues: Pick<RunningVenues, 'listening'>,
  database: Pick<TestDatabase, 'url'>,
): Promise<Backtester> {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const settings = settingsFor(venues, database);
  const queries = new IngestQueries(connect(settings.databaseUrl, log));
  const stopping = new AbortController();
  const feedRuntime = (venue: VenueCode): FeedRuntime => ({
    ...runtime,
    marketNow: () => Date.now(),
    segment: () => null,
    reject: () => {},
    unknown: new UnknownValues(venue),
    log,
  });
  const opened: Record<VenueCode, Venue> = await openVenues({
    settings,
    engine: new Engine(),
    runtimes: { venue_a: feedRuntime('venue_a'), venue_b: feedRuntime('venue_b') },
    openSocket: openWithNode,
    signal: stopping.signal,
    quietMs: workLimitsFor(false).quietMs,
  });
  return {
    queries,
    lines,
    async sweep() {
      for (const venue of VENUES) await sweepOnce(opened[venue], queries, feedRuntime(venue));
    },
    async start() {
      const leases = new LeaseKeeper({ queries, endsAt: null, announces: false });
      await leases.claim(BACKTEST_LEASE, 1, Date.now());
      if (!leases.holds(BACKTEST_LEASE)) throw new Error('Another worker holds the lease of the backtest.');
      const ending = new AbortController();
      const renewing = setInterval(() => void leases.renew().catch(() => {}), 2_000);
      const role = new BacktestRole({
        queries,
        leases,
        budget: null,
        pageEvents: 100,
        reader: async (venue) => opened[venue].settled(parsers),
        runtime,
        log,
        signal: ending.signal,
        onRelease: () => {},
      });
      role.start();
      return {
        role,
        async kill() {
          clearInterval(renewing);
          ending.abort();
          await role.finish();
        },
      };
    },
    async close() {
      stopping.abort();
      await queries.end();
    },
  };
}

/** Reads all open listings of one venue. The sweep of venue_b ends with a match pass. */
async function sweepOnce(venue: Venue, queries: IngestQueries, feedRuntime: FeedRuntime): Promise<void> {
  const ended = new AbortController();
  const sweep: ListingSweep = new ListingSweep({
    reader: venue.listings(parsers),
    queries,
    queue: new SerialQueue(),
    runtime: feedRuntime,
    holdsLease: () => true,
    tryPage: () => {
      if (sweep.sweeps > 0) ended.abort();
      return sweep.sweeps === 0;
    },
    listingsSeconds: 0,
    alwaysRests: false,
    pageEvents: 100,
    maxUnsettled: 1,
    onPage: () => {},
  });
  await sweep.run(ended.signal);
}

/**
 * Leaves only these competitions to the backtest: the whole world takes minutes. Their pairs are
 * what a small installation would have.
 */
export async function keepCompetitions(database: TestDatabase, names: readonly string[]): Promise<void> {
  await database.sql`
    update catalog.pairs set withdrawn_at = now() where competition is null or lower(competition) <> all (${[...names]})`;
}

/** Waits until every scope was read. */
export async function completed(database: TestDatabase): Promise<BacktestProgress> {
  return await waitUntil(
    async () => {
      const progress = await readProgress(database.sql);
      return isComplete(progress) && progress;
    },
    { what: 'the backtest is complete', timeoutMs: 280_000, everyMs: 250 },
  );
}
