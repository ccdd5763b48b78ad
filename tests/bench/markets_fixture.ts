import postgres from 'postgres';
import { type Cluster, databaseUrl } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { holdShardLeases, putUpdates, type SeedUpdate } from '../api/support/catalog.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { putPairs } from '../stream/fixture.ts';
import { type Baseline, baselineOn } from './pgbench.ts';
import type { RawClient } from './raw_client.ts';

export const CONNECTIONS = 4;

export type MarketsFixture = {
  sql: postgres.Sql;
  cluster: Cluster;
  url: string;
  isolate: Isolate;
  baseline: Baseline;
  key: string;
  close(): Promise<void>;
};

/**
 * A catalog with this many priced pairs, a stopped clock, and functions/api in its own Deno
 * process.
 */
export async function createMarketsFixture(
  scratch: TemporaryPostgres,
  template: string,
  pairs: number,
  name = 'markets',
): Promise<MarketsFixture> {
  const owner = await scratch.create(`${name}_${pairs}`, template);
  const sql = postgres(owner, { max: 1, onnotice: () => {} });
  await scratch.admin.unsafe(`alter role parallax_api login password '${scratch.password}'`);
  const database = new URL(owner).pathname.slice(1);
  const url = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, database);
  await putPairs(sql, pairs);
  await holdShardLeases(sql);
  for (let from = 1; from <= pairs; from += 500) {
    await putUpdates(
      sql,
      Array.from(
        { length: Math.min(500, pairs - from + 1) },
        (_, fixture) => [from + fixture, updateOf(from + fixture)] as const,
      ),
    );
  }
  // Stop the clock, so that all rounds are within one step of the snapshot.
  await sql`update price.settings set rest_delay = '0'`;
  await sql`delete from clock.segments`;
  await sql`insert into clock.segments (real_from, market_from, rate) values ('2000-01-01Z', clock_timestamp() + interval '10 seconds', 0)`;
  await sql`update account.tiers set window_requests = 1000000000, month_requests = 1000000000`;
  const [row] = await sql<{ key: string }[]>`select account.mint_key('bench', 'pro') as key`;
  await sql`select pipeline.refresh_snapshot()`;
  await sql`analyze`;
  const isolate = await startIsolate(url);
  const baseline = baselineOn(url);
  return {
    sql,
    cluster: scratch.cluster,
    url,
    isolate,
    baseline,
    key: row?.key ?? '',
    async close() {
      isolate.stop();
      await baseline.close();
      await sql.end({ timeout: 2 });
    },
  };
}

function updateOf(n: number): SeedUpdate {
  const ask = 300_000 + (n % 40) * 10_000;
  const asks = [ask, 990_000 - ask];
  const sizes = [100, 100];
  return { at: new Date().toISOString(), ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes };
}

export const path = (limit: number) => `/api/v2/markets?limit=${limit}`;

/** Requests a second over these connections, one at a time on each. */
export async function rateOf(clients: readonly RawClient[], request: string, seconds: number): Promise<number> {
  const from = performance.now();
  let done = 0;
  const one = async (client: RawClient) => {
    while (performance.now() - from < seconds * 1000) {
      await client.request(request);
      done += 1;
    }
  };
  await Promise.all(clients.map(one));
  return (done * 1000) / (performance.now() - from);
}
