import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../../functions/_shared/runtime.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { fastClock, type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { PATIENCE_MS, pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';
import { runtime } from './runtime.ts';

const books = ({ worker }: RunningWorker): string[] => worker.heldLeases.filter((name) => name.startsWith('books:'));
const patiently = (what: string) => ({ what, timeoutMs: PATIENCE_MS });

/** Waits until the worker reads all four shards and every pair has a price. */
async function untilAllPriced(database: TestDatabase, reading: RunningWorker): Promise<void> {
  await waitUntil(async () => {
    const pairs = await pairsOf(database);
    const rows = await database.sql`select from price.latest_updates where void_reason is null`;
    return books(reading).length === 4 && pairs.length > 15 && rows.length >= pairs.length;
  }, patiently('all shards and prices'));
}

/** A runtime whose time passes so many times as fast. */
function fasterRuntime(rate: number): Runtime {
  const startedAt = runtime.now();
  return {
    ...runtime,
    now: () => startedAt + (runtime.now() - startedAt) * rate,
    sleep: (ms, signal) => runtime.sleep(ms / rate, signal),
  };
}

/** Each test goes on with the worker that the one before left with all shards. */
describe('workers that share the shards by leases', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let holder: RunningWorker;
  const workers: RunningWorker[] = [];

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--listings', 'next_games'), createDatabase()]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((one) => one.end()));
    venues?.end();
    await database?.close();
  });

  const start = (options: Parameters<typeof startWorker>[1] = {}, settings = settingsFor(venues, database)) => {
    const worker = startWorker(settings, options);
    workers.push(worker);
    return worker;
  };
  type Lease = { name: string; holder: string | null; token: string; expires: number };
  const leases = async (): Promise<Map<string, Lease>> => {
    const rows = await database.sql<Lease[]>`
      select name, holder, token::text as token, (extract(epoch from expires_at) * 1000)::float8 as expires
      from venue.leases`;
    return new Map(rows.map((row) => [row.name, row]));
  };
  const voidsSince = async (at: Date) => [
    ...(await database.sql`
      select pair_id, void_reason as void from price.updates where void_reason is not null and priced_at > ${at}`),
  ];

  it('two workers divide the shards and do not disturb each other', async () => {
    const left = start({ bookShards: 2 });
    await waitUntil(() => books(left).length === 2, patiently('the left has two'));
    holder = start({ bookShards: 64 });
    await waitUntil(() => books(holder).length === 2, patiently('the right has the others'));
    expect([...books(left), ...books(holder)].sort()).toEqual(['books:0', 'books:1', 'books:2', 'books:3']);
    await waitUntil(
      () => left.worker.flushed.applied > 0 && holder.worker.flushed.applied > 0,
      patiently('both write'),
    );
    await left.end();
    await untilAllPriced(database, holder);
  });

  it('a handover causes no void, no lost update and no update applied twice', async () => {
    const first = holder;
    const tokens = await leases();
    const takenAt = new Date();
    void first.worker.handOver(20_000);
    await waitUntil(
      async () => (await database.sql`select from venue.leases where handover_at is not null`).length === 4,
      patiently('the announced end'),
    );
    const second = start();
    await waitUntil(() => books(second).length === 4, patiently('the second has taken over'));
    const handed = await leases();
    for (const name of books(second)) expect(Number(handed.get(name)?.token)).toBe(Number(tokens.get(name)?.token) + 1);
    // The former holder learns it from its next write or renewal, and stops writing at once.
    await waitUntil(() => books(first).length === 0, patiently('the first has lost its shards'));
    const [applied, written] = [first.worker.flushed.applied, second.worker.flushed.applied];
    await waitUntil(() => second.worker.flushed.applied > written + 20, patiently('new prices'));
    expect(first.worker.flushed.applied).toBe(applied);
    expect(await voidsSince(takenAt)).toEqual([]);
    // An update that was applied twice would make two equal rows in sequence.
    const [twice] = await database.sql<{ count: number }[]>`
      select count(*)::int as count
      from (
        select (ask_a, ask_b, bid_a, bid_b, size_a, size_b, bid_size_a, bid_size_b, ladder_a, void_reason)
               is not distinct from lag((ask_a, ask_b, bid_a, bid_b, size_a, size_b, bid_size_a, bid_size_b, ladder_a, void_reason)) over (partition by pair_id order by priced_at, update_no) as same
        from price.updates
      ) f
      where f.same`;
    expect(twice?.count).toBe(0);
    await first.end();
    holder = second;
  });

  it('a worker that joins takes half of the shards with no void, and hands them over when it ends', async () => {
    await untilAllPriced(database, holder);
    const joinedAt = new Date();
    const joined = start();
    const counts = () => [holder, joined].map((one) => books(one).length);
    await waitUntil(() => counts().join() === '2,2', patiently('each has half'));
    await waitUntil(() => joined.worker.flushed.applied > 0, patiently('the second writes'));
    await joined.worker.handOver(20_000);
    await waitUntil(() => counts().join() === '4,0', patiently('the first has everything again'));
    await joined.end();
    expect(await voidsSince(joinedAt)).toEqual([]);
  });

  it('a worker that cannot reach a venue takes no shard from one that reads both', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const venueB = { gamma: nowhere, clob: nowhere, data: nowhere, socket: 'ws://127.0.0.1:1' };
    const blind = start({ runtime: fasterRuntime(10) }, { ...settingsFor(venues, database), venueB });
    const reserved = async () => (await database.sql`select from venue.leases where successor is not null`).length;
    await waitUntil(async () => (await reserved()) === 2, patiently('it warms two shards up'));
    // A warm-up of a shard whose holder ends lasts 8 s. Here twenty seconds of its time pass.
    await pause(2_000);
    expect([books(holder).length, books(blind)]).toEqual([4, []]);
    await blind.end();
  });

  it('a worker that dies is replaced when its leases expire', async () => {
    await holder.end();
    expect([...(await leases()).values()].every((row) => row.holder === null)).toBe(true);
    const dead = crypto.randomUUID();
    await database.sql`
      update venue.leases
      set holder = ${dead}, token = token + 1, expires_at = clock_timestamp() + interval '3 seconds'`;
    holder = start();
    const early = new Set<string>();
    await waitUntil(async () => {
      const held = holder.worker.heldLeases;
      const [unexpired] = await database.sql`
        select from venue.leases where holder = ${dead} and expires_at > clock_timestamp()`;
      if (unexpired) for (const name of held) early.add(name);
      return books(holder).length === 4;
    }, patiently('the next has everything'));
    // Until then it may have taken its half of the shards, as from any other worker.
    expect([...early].filter((name) => !name.startsWith('books:'))).toEqual([]);
    expect(early.size).toBeLessThanOrEqual(2);
    await waitUntil(() => holder.worker.heldLeases.length === 7, patiently('the listings and the backtest too'));
  });

  it('the leases are renewed while a read of the watch list hangs', async () => {
    await holder.end();
    await database.sql.begin(async (sql) => {
      await sql`lock table catalog.outcomes in access exclusive mode`;
      // Enough connections that one is free while all that read the catalog wait for the lock.
      holder = start({ connections: 8 });
      await waitUntil(() => books(holder).length === 4, patiently('it holds all shards'));
      const before = await leases();
      await waitUntil(async () => {
        const now = await leases();
        return books(holder).every((name) => (now.get(name)?.expires ?? 0) > (before.get(name)?.expires ?? 0));
      }, patiently('a renewal'));
      const after = await leases();
      for (const name of books(holder)) expect(after.get(name)?.token).toBe(before.get(name)?.token);
    });
    expect(holder.lines.filter((line) => line.includes('was lost'))).toEqual([]);
  });
});

describe('worker at venues whose prices do not change', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let hung: RunningWorker;

  beforeAll(async () => {
    // The venues' clock does not move, so no book changes.
    [venues, database] = await Promise.all([
      startVenues('--listings', 'next_games', '--clock', fastClock(0)),
      createDatabase(),
    ]);
  });
  afterAll(async () => {
    await hung?.end();
    venues?.end();
    await database?.close();
  });

  it('writes every price again after a pause longer than its lease, although no price changed', async () => {
    hung = startWorker(settingsFor(venues, database), {});
    await untilAllPriced(database, hung);
    const voids = () =>
      database.sql`select pair_id, void_reason, priced_at::text from price.latest_updates where void_reason is not null`;
    await database.sql.begin(async (sql) => {
      await sql`update venue.leases set expires_at = now() - interval '1 millisecond' where name like 'books:%'`;
      await sql`select pipeline.refresh_snapshot()`;
      const expired = await sql`select from price.latest_updates where void_reason = 'lease.expired'`;
      expect(expired.length).toBeGreaterThan(15);
    });
    await waitUntil(async () => (await voids()).length === 0, {
      ...patiently('everything is priced again'),
      evidence: async () => JSON.stringify([await voids(), hung.worker.heldLeases, hung.worker.flushed, hung.lines]),
    });
  });
});
