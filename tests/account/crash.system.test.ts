import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import {
  type Cluster,
  databaseUrl,
  freePort,
  spawnPostgres,
  stopPostgres,
  untilReady,
} from '../../local/platform/postgres/postgres.ts';
import { cloneDatabase, connectAdmin } from '../../local/platform/postgres/template.ts';
import { copyCluster, scratchParent } from '../../local/platform/postgres/temporary_postgres.ts';
import { Reaper } from '../../local/platform/supervisor/reaper.ts';
import { TEST_TEMPLATE } from '../support/names.ts';
import { runs } from '../support/runs.ts';
import { descendants } from '../support/stack.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

// This file kills a Postgres server of its own, as durable as the real one. The server that other
// tests share is not durable.
const folder = mkdtempSync(join(scratchParent(), 'parallax-crash-'));
const reaper = new Reaper();
let cluster: Cluster;
let server: ReturnType<typeof spawnPostgres>;
let hash: string;
const url = (role: string) => databaseUrl(cluster.port, role, cluster.password, 'house');

async function start(): Promise<void> {
  server = spawnPostgres(cluster);
  reaper.watch({ postgres: server.pid, remove: folder });
  await untilReady(cluster, server);
}

beforeAll(async () => {
  const { original } = inject('postgres');
  cluster = {
    ...original,
    folder: join(folder, 'postgres'),
    port: await freePort(),
    volatile: false,
    maxConnections: 50,
  };
  copyCluster(original.folder, cluster.folder);
  await start();
  const admin = connectAdmin(cluster, 'postgres');
  await cloneDatabase(admin, 'house', TEST_TEMPLATE);
  await admin.end();
  const owner = postgres(url('postgres'), { max: 1, onnotice: () => {} });
  // Limits that no request reaches, so that every request counts.
  await owner`update account.tiers set window_requests = 1000000000, month_requests = 1000000000`;
  const [row] = await owner<{ key: string }[]>`select account.mint_key('Counted', 'pro') as key`;
  hash = hashKey(row?.key ?? '');
  await owner.end();
});
afterAll(async () => {
  await stopPostgres(server);
  await reaper.finish();
  rmSync(folder, { recursive: true, force: true });
});

type Answer = { at: number; count: number };

/** Asks for admission over 4 connections until they break. Records the count and time of each. */
async function countUntilItBreaks(answered: Answer[]): Promise<void> {
  const sql = postgres(url('parallax_api'), { max: 4, prepare: false, fetch_types: false, onnotice: () => {} });
  const admitAlways = async () => {
    for (;;) {
      const [row] = await sql.unsafe<{ month_used: number }[]>(
        `select month_used from account.admit(decode('${hash}', 'hex'), true, 1, 1)`,
      );
      answered.push({ at: performance.now(), count: row?.month_used ?? 0 });
    }
  };
  await Promise.allSettled([admitAlways(), admitAlways(), admitAlways(), admitAlways()]);
  await sql.end({ timeout: 1 });
}

/** Kills every process of the server at once, without a signal that it could handle. */
async function killServer(): Promise<number> {
  const pids = [server.pid ?? 0, ...descendants(server.pid ?? 0).map((row) => row.pid)];
  const gone = new Promise((resolve) => server.once('exit', resolve));
  const at = performance.now();
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  }
  await gone;
  return at;
}

test('Postgres killed during admission loses at most the last second of counts', async () => {
  for (let round = 0; round < runs(1); round++) {
    const answered: Answer[] = [];
    const counting = countUntilItBreaks(answered);
    await waitUntil(() => answered.length > 200, { what: 'answers that are a second old at the kill' });
    await pause(1_100);
    const killedAt = await killServer();
    await counting;
    await start();
    const sql = postgres(url('postgres'), { max: 1, onnotice: () => {} });
    const [row] = await sql<{ month_used: number }[]>`select month_used from account.usage`;
    await sql.end();
    const kept = row?.month_used ?? 0;
    const highest = (answers: Answer[]) => answers.reduce((most, answer) => Math.max(most, answer.count), 0);
    const due = answered.filter((answer) => answer.at <= killedAt - 1_000);
    expect(due.length).toBeGreaterThan(100);
    expect(kept).toBeGreaterThanOrEqual(highest(due));
    // Up to four requests may have been counted without a received answer.
    expect(kept).toBeLessThanOrEqual(highest(answered) + 4);
    console.log(`answered ${highest(answered)}, kept ${kept} after the crash`);
  }
});
