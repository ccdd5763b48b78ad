import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HANDOVER_MS } from '../../functions/ingest/cpu_budget.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { PATIENCE_MS, pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';
import { runtime } from './runtime.ts';

describe('workers of limited calls', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  const workers: RunningWorker[] = [];

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '60'), createDatabase()]);
    await database.sql`select price.set_shard_count(2::smallint)`;
    await database.sql`select vault.create_secret('http://127.0.0.1:1', 'project_url'), vault.create_secret('x', 'cron_key')`;
  });
  beforeEach(async () => {
    for (const one of workers.splice(0)) await one.end();
    // Waits for the calls that the ends of other workers have queued.
    await pause(600);
    await database.sql`delete from net.http_request_queue`;
  });
  afterAll(async () => {
    for (const one of workers) await one.end();
    venues?.end();
    await database?.close();
  });

  const start = (cpuSeconds?: number, own = runtime): RunningWorker => {
    const limit = cpuSeconds === undefined ? {} : { cpuSeconds };
    const worker = startWorker(settingsFor(venues, database), { runtime: own, ...limit });
    workers.push(worker);
    return worker;
  };
  const called = async (): Promise<string[]> => {
    const rows = await database.sql<{ url: string }[]>`select url from net.http_request_queue`;
    return rows.map(({ url }) => url);
  };
  const sweeps = async () =>
    await database.sql<{ pages: number; cursor: string | null; finished: boolean }[]>`
      select pages, cursor, finished_at is not null as finished from venue.sweeps order by venue`;
  const bestComparedAt = async (): Promise<string | undefined> => {
    const [row] = await database.sql<{ at: string }[]>`select s.compared_at::text as at from stream.best_state s`;
    return row?.at;
  };
  const free = async (): Promise<string[]> => {
    const rows = await database.sql<{ name: string }[]>`
      select l.name from venue.leases l where l.holder is null order by l.name`;
    return rows.map(({ name }) => name);
  };

  it('release the listings when their CPU is used up, and a called successor continues at the cursor', async () => {
    const books = [start(20), start(20)];
    await waitUntil(() => books.every((one) => one.worker.heldLeases.length === 1), {
      what: 'both shards',
      timeoutMs: PATIENCE_MS,
    });
    // Enough CPU to load the parsers and to read the one page that every call reads.
    const first = start(1.65);
    await waitUntil(() => first.worker.heldLeases.length === 1, { what: 'the listings', timeoutMs: PATIENCE_MS });
    expect(first.worker.heldLeases).toEqual(['listings:venue_a']);
    await first.done;
    expect(await free()).toEqual(['backtest', 'listings:venue_a', 'listings:venue_b']);
    expect(await sweeps()).toEqual([{ pages: 1, cursor: expect.any(String), finished: false }]);
    expect(await called()).toEqual(['http://127.0.0.1:1/functions/v1/ingest']);

    await start(1.65).done;
    expect(await sweeps()).toMatchObject([{ pages: 2 }]);
    const rest = [start(20), start(20)];
    const done = async () => (await sweeps()).filter(({ finished }) => finished).length === 2;
    await waitUntil(done, { what: 'the end of both sweeps', timeoutMs: PATIENCE_MS });
    for (const one of rest) await one.end();
    const read = await database.sql`select from venue.events`;
    expect(read.length).toBeGreaterThan(100);
    // No worker starts another sweep at once, so no successor is called for one.
    await pause(600);
    await database.sql`delete from net.http_request_queue`;
    const last = start(20);
    await waitUntil(() => last.worker.heldLeases.length === 1, { what: 'the listings again', timeoutMs: PATIENCE_MS });
    await pause(1_000);
    await last.end();
    expect(await done()).toBe(true);
    expect(await called()).toEqual([]);
    expect(books.flatMap((one) => one.worker.heldLeases).sort()).toEqual(['books:0', 'books:1']);
  });

  it('announce their end, call a successor and stop after its takeover, without closing a price', async () => {
    await database.sql`select price.set_shard_count(1::smallint)`;
    const whole = start();
    await waitUntil(async () => (await pairsOf(database)).length > 15, { what: 'pairs', timeoutMs: PATIENCE_MS });
    await waitUntil(async () => (await bestComparedAt()) !== '-infinity', {
      what: 'best quotes of a whole worker',
      timeoutMs: PATIENCE_MS,
    });
    await whole.end();
    const comparedAt = await bestComparedAt();
    // Little more CPU than the first books and the handover take. Its clock stops with the
    // announcement, because the successor may need more than the 20 s on a slow machine.
    let stoppedAt: number | null = null;
    const first = start(1, { ...runtime, now: () => stoppedAt ?? runtime.now() });
    await waitUntil(() => first.worker.heldLeases.includes('books:0'), { what: 'its shard', timeoutMs: PATIENCE_MS });
    await waitUntil(() => first.worker.flushed.applied > 10, { what: 'its prices', timeoutMs: PATIENCE_MS });
    await waitUntil(() => first.worker.endsAt < Number.POSITIVE_INFINITY, {
      what: 'the announced end',
      timeoutMs: PATIENCE_MS,
    });
    stoppedAt = runtime.now();
    expect(first.worker.endsAt).toBeLessThanOrEqual(stoppedAt + HANDOVER_MS);
    await waitUntil(async () => (await called()).length > 0, { what: 'a call', timeoutMs: PATIENCE_MS });
    expect(first.worker.heldLeases).toEqual(['books:0']);
    const startedAt = new Date();
    const second = start(2);
    await first.done;
    expect(second.worker.heldLeases).toEqual(['books:0']);
    await database.sql`select pipeline.refresh_snapshot()`;
    const voids =
      await database.sql`select void_reason as void from price.updates f where f.void_reason is not null and f.priced_at > ${startedAt}`;
    expect([...voids]).toEqual([]);
    const applied = second.worker.flushed.applied;
    await waitUntil(() => second.worker.flushed.applied > applied, { what: 'new prices', timeoutMs: PATIENCE_MS });
    // Limited workers leave the best quotes to pg_cron.
    expect(await bestComparedAt()).toBe(comparedAt);
  });
});
