import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { settledReaderA } from '../../functions/ingest/backtest/settled_a.ts';
import { settledReaderB } from '../../functions/ingest/backtest/settled_b.ts';
import type { SettledReader } from '../../functions/ingest/backtest/source.ts';
import { BACKTEST_LEASE, BacktestRole } from '../../functions/ingest/backtest_role.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { RestClient } from '../../functions/ingest/feeds/rest.ts';
import { LeaseKeeper } from '../../functions/ingest/lease_keeper.ts';
import { VENUES, type VenueCode } from '../../functions/ingest/listing.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import { isComplete, readProgress } from '../../local/backtest/progress.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import type { ListeningInfo } from '../../local/venue_simulator/serve.ts';
import { openBacktester } from '../backtest/fixture.ts';
import { runtime } from '../ingest/runtime.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { progress, timed } from './measure.ts';
import { type ResultRow, toResultRow } from './result_row.ts';

/**
 * The backtest of a whole simulated world against reading the same responses over HTTP: the
 * requests of one backtest are recorded and sent again, both venues at once as the backtest does,
 * and only their text is read. Neither has the rate limits of the venues, which would hide the
 * work. The simulator is a process of its own. The first backtest warms up and records.
 */

type Recorded = { url: string; method: string; body?: string };

const repository = join(import.meta.dirname, '../..');

export async function measureBacktest(scratch: TemporaryPostgres, template: string): Promise<ResultRow[]> {
  const name = 'backtest';
  const sql = postgres(await scratch.create(name, template), { max: 3, onnotice: () => {} });
  const data = temporaryFolder('bench-venues');
  const venues = await startSimulator(data);
  try {
    await sql.unsafe(`alter role parallax_ingest with login password '${scratch.password}'`);
    const database = { url: () => databaseUrl(scratch.cluster.port, 'parallax_ingest', scratch.password, name) };
    const tester = await openBacktester({ listening: venues.listening }, database);
    await tester.sweep();
    await tester.close();
    const requests: Record<VenueCode, Recorded[]> = { venue_a: [], venue_b: [] };
    progress('a first backtest');
    await runBacktest(sql, database.url(), venues.listening, requests);
    progress(`${requests.venue_a.length + requests.venue_b.length} requests again`);
    const reading = await timed(() => replay(requests));
    progress('a second backtest');
    await sql`select catalog.request_backtest()`;
    const testing = await timed(() => runBacktest(sql, database.url(), venues.listening, null));
    const { listings, occasions } = await readProgress(sql);
    return [
      toResultRow({
        name: 'backtest of a whole world',
        ratio: testing / reading,
        target: 3,
        better: 'lower',
        detail: `${occasions} occasions of ${listings} listings in ${seconds(testing)}; reading them ${seconds(reading)}`,
      }),
    ];
  } finally {
    venues.child.kill();
    await sql.end({ timeout: 2 });
    rmSync(data, { recursive: true, force: true });
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function startSimulator(data: string): Promise<{ child: ChildProcess; listening: ListeningInfo }> {
  const main = join(repository, 'local/venue_simulator/main.ts');
  const child = spawn(
    process.execPath,
    [...tsxArguments, main, '--data', data, '--traps', 'none', '--seed', '1', '--tokens', '1000000'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  await waitUntil(() => out.includes('\n'), { what: 'the simulator listens', timeoutMs: 30_000 });
  return { child, listening: JSON.parse(out.split('\n')[0] ?? '') as ListeningInfo };
}

/** Runs the backtest of every scope once. Its requests are added to `record`. */
async function runBacktest(
  sql: postgres.Sql,
  url: string,
  listening: ListeningInfo,
  record: Record<VenueCode, Recorded[]> | null,
): Promise<void> {
  const queries = new IngestQueries(connect(url, () => {}));
  await sql`update venue.leases set holder = null, expires_at = null where name = ${BACKTEST_LEASE}`;
  const leases = new LeaseKeeper({ queries, endsAt: null, announces: false });
  await leases.claim(BACKTEST_LEASE, 1, Date.now());
  const ending = new AbortController();
  const renewing = setInterval(() => void leases.renew().catch(() => {}), 2_000);
  const readers = readersOf(listening, record);
  const role = new BacktestRole({
    queries,
    leases,
    budget: null,
    pageEvents: 100,
    reader: async (venue) => readers[venue],
    runtime,
    log: progress,
    signal: ending.signal,
    onRelease: () => {},
  });
  role.start();
  await waitUntil(async () => isComplete(await readProgress(sql)), {
    what: 'the backtest is complete',
    timeoutMs: 900_000,
    everyMs: 100,
  });
  clearInterval(renewing);
  ending.abort();
  await role.finish();
  await queries.end();
}

/** The readers of both venues without rate limits. */
function readersOf(
  { venue_a, venue_b }: ListeningInfo,
  record: Record<VenueCode, Recorded[]> | null,
): Record<VenueCode, SettledReader> {
  const client = (base: string, venue: VenueCode) => {
    const recording: typeof fetch = (input, init) => {
      record?.[venue].push({
        url: String(input),
        method: init?.method ?? 'GET',
        ...(typeof init?.body === 'string' ? { body: init.body } : {}),
      });
      return runtime.fetch(input, init);
    };
    return new RestClient({
      base,
      runtime: { ...runtime, fetch: recording },
      bucket: new TokenBucket(1_000_000, 1_000_000, runtime),
    });
  };
  const now = () => new Date().toISOString();
  const restB = new VenueBRest(
    client(venue_b.gamma, 'venue_b'),
    client(venue_b.clob, 'venue_b'),
    client(venue_b.data, 'venue_b'),
  );
  return {
    venue_a: settledReaderA(new VenueARest(client(venue_a.rest, 'venue_a')), parsers, now),
    venue_b: settledReaderB(restB, parsers, now),
  };
}

/** Sends the recorded requests again, one after the other on each venue, and reads their text. */
async function replay(requests: Record<VenueCode, Recorded[]>): Promise<void> {
  await Promise.all(
    VENUES.map(async (venue) => {
      for (const { url, method, body } of requests[venue]) {
        const headers = { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) };
        const response = await fetch(url, { method, headers, ...(body ? { body } : {}) });
        await response.text();
      }
    }),
  );
}
