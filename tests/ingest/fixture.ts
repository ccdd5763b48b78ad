import { readFileSync } from 'node:fs';
import { CpuMeter } from '../../functions/_shared/cpu.ts';
import type { Runtime } from '../../functions/_shared/runtime.ts';
import { CpuBudget } from '../../functions/ingest/cpu_budget.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { IngestWorker } from '../../functions/ingest/ingest_worker.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import type { Settings } from '../../functions/ingest/settings.ts';
import { openWithNode } from '../../functions/ingest/sockets.ts';
import { MEASURED_CPU_MS, workLimitsFor } from '../../functions/ingest/work_limits.ts';
import type { TestDatabase } from '../support/database.ts';
import type { RunningVenues } from '../venue_simulator/fixture.ts';
import { runtime } from './runtime.ts';

/**
 * How long a test waits for what a worker does. It is no statement about the product: a busy
 * machine takes many times as long as an idle one.
 */
export const PATIENCE_MS = 120_000;

/** Settings for a worker that reads the simulator into this database. */
export function settingsFor(venues: Pick<RunningVenues, 'listening'>, database: Pick<TestDatabase, 'url'>): Settings {
  const { venue_a, venue_b } = venues.listening;
  return {
    databaseUrl: database.url('parallax_ingest'),
    databaseConnections: 3,
    source: 'simulated',
    venueA: {
      rest: venue_a.rest,
      socket: venue_a.ws,
      keyId: venue_a.key_id,
      privateKey: readFileSync(venue_a.private_key_file, 'utf8'),
    },
    venueB: { gamma: venue_b.gamma, clob: venue_b.clob, data: venue_b.data, socket: venue_b.ws },
    wallClockSeconds: 400,
    cpuSeconds: null,
    listingsSeconds: 60,
    cronKey: null,
    healthPort: null,
  };
}

/** The same settings as environment variables of a process. */
export function environmentFor(venues: RunningVenues, databaseUrl: string): Record<string, string> {
  const { venue_a, venue_b } = venues.listening;
  return {
    DB_URL_INGEST: databaseUrl,
    FEED_SOURCE: 'simulated',
    VENUE_A_REST_URL: venue_a.rest,
    VENUE_A_WS_URL: venue_a.ws,
    VENUE_A_KEY_ID: venue_a.key_id,
    VENUE_A_PRIVATE_KEY: readFileSync(venue_a.private_key_file, 'utf8'),
    VENUE_B_GAMMA_URL: venue_b.gamma,
    VENUE_B_CLOB_URL: venue_b.clob,
    VENUE_B_DATA_URL: venue_b.data,
    VENUE_B_WS_URL: venue_b.ws,
  };
}

/** `done` resolves when the worker has stopped, by itself or by `end`. */
export type RunningWorker = { worker: IngestWorker; lines: string[]; done: Promise<void>; end(): Promise<void> };

/**
 * The budget of a call with this CPU. CPU is estimated, because the process of the test does more
 * than the call.
 */
function budgetOf(cpuSeconds: number, { now }: Runtime): CpuBudget {
  const { bootMs, secondMs, shardMs } = MEASURED_CPU_MS;
  const meter = new CpuMeter({ read: undefined, estimate: { bootMs, secondMs: secondMs + shardMs }, now });
  return new CpuBudget({ meter, cpuSeconds, fromMs: 0, now });
}

/** Runs a whole worker in this process, over real sockets, HTTP and Postgres. */
export function startWorker(
  settings: Settings,
  options: {
    endsAt?: number | null;
    bookShards?: number;
    cpuSeconds?: number;
    connections?: number;
    runtime?: Runtime;
  } = {},
): RunningWorker {
  const lines: string[] = [];
  const queries = new IngestQueries(
    connect(settings.databaseUrl, (line) => lines.push(line), options.connections ?? settings.databaseConnections),
  );
  const { cpuSeconds = null, runtime: own = runtime } = options;
  const limits = workLimitsFor(cpuSeconds !== null);
  const worker = new IngestWorker({
    settings,
    limits: {
      ...limits,
      ...(options.bookShards === undefined ? {} : { bookShards: options.bookShards }),
      watchMs: 500,
    },
    queries: queries,
    runtime: own,
    openSocket: openWithNode,
    parsers: async () => parsers,
    log: (line) => lines.push(line),
    endsAt: options.endsAt ?? null,
    budget: cpuSeconds === null ? null : budgetOf(cpuSeconds, own),
  });
  const running = worker.run();
  let ended: Promise<void> | null = null;
  return {
    worker,
    lines,
    done: running,
    end() {
      worker.stop();
      ended ??= running.then(() => queries.end());
      return ended;
    },
  };
}

export type PairLegs = {
  pair_id: string;
  legs: { contract_a: string | null; side_a: string | null; contract_b: string | null }[];
};

/** The trading pairs that the match pass made of the listings that a worker stored. */
export async function pairsOf(database: TestDatabase): Promise<PairLegs[]> {
  return await database.sql<PairLegs[]>`
    select p.pair_id,
           jsonb_agg(
             jsonb_build_object('contract_a', o.contract_a, 'side_a', o.side_a, 'contract_b', o.contract_b) order by o.ordinal
           ) as legs
    from catalog.pairs p
    join catalog.outcomes o on o.pair_id = p.pair_id
    where p.withdrawn_at is null
      and p.status in ('open', 'live', 'resolving')
    group by p.pair_id`;
}
