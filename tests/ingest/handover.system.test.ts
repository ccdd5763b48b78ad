import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { fastClock, type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';

// A worker has everything after about 8 s; three times as long on a busy machine.
const FIRST_READ_MS = 25_000;

describe('workers that share the shards by leases', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  const workers: RunningWorker[] = [];

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '30'), createDatabase()]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((one) => one.end()));
    venues?.end();
    await database?.close();
  });

  const start = (options: Parameters<typeof startWorker>[1]): RunningWorker => {
    const worker = startWorker(settingsFor(venues, database), options);
    workers.push(worker);
    return worker;
  };
  const holders = async (): Promise<Map<string, { holder: string | null; token: string }>> => {
    const rows = await database.sql<{ name: string; holder: string | null; token: string }[]>`
      select name, holder, token::text as token from venue.leases`;
    return new Map(rows.map((row) => [row.name, row]));
  };
  const books = (held: readonly string[]): string[] => held.filter((name) => name.startsWith('books:'));

  it('a handover causes no void, no lost update and no update applied twice', async () => {
    // It announces its end 20 s before, and may still be reading until then.
    const first = start({ endsAt: Date.now() + 34_000 });
    await waitUntil(
      async () => {
        const pairs = await pairsOf(database);
        const rows = await database.sql`select from price.latest_updates where void_reason is null`;
        return books(first.worker.heldLeases).length === 4 && pairs.length > 15 && rows.length >= pairs.length;
      },
      { what: 'the first reads everything', timeoutMs: FIRST_READ_MS },
    );
    const tokens = await holders();
    const second = start({});
    const takenAt = Date.now();
    await waitUntil(() => books(second.worker.heldLeases).length === 4, {
      what: 'the second has taken over',
      timeoutMs: 25_000,
    });
    const handed = await holders();
    for (const name of books(second.worker.heldLeases)) {
      expect(Number(handed.get(name)?.token)).toBe(Number(tokens.get(name)?.token) + 1);
    }
    // The former holder learns it from its next write or renewal, and stops writing at once.
    await waitUntil(() => books(first.worker.heldLeases).length === 0, {
      what: 'the first has lost its shards',
      timeoutMs: 6_000,
    });
    const applied = first.worker.flushed.applied;
    await pause(1_500);
    expect(first.worker.flushed.applied).toBe(applied);

    const voids = await database.sql`
      select f.pair_id, f.void_reason as void from price.updates f where f.void_reason is not null and f.priced_at > ${new Date(takenAt)}`;
    expect(voids).toEqual([]);
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
    await waitUntil(
      async () => {
        const rows =
          await database.sql`select from price.updates where priced_at > now() - interval '2 seconds' limit 1`;
        return rows.length > 0;
      },
      { what: 'new prices' },
    );
  }, 90_000);

  it('a worker that dies is replaced when its leases expire', async () => {
    for (const one of workers) await one.end();
    const names = await holders();
    expect([...names.values()].every((row) => row.holder === null)).toBe(true);
    await database.sql`
      update venue.leases set holder = gen_random_uuid(), token = token + 1, expires_at = clock_timestamp() + interval '3 seconds'`;
    const next = start({});
    await pause(1_000);
    expect(next.worker.heldLeases).toEqual([]);
    await waitUntil(() => books(next.worker.heldLeases).length === 4, {
      what: 'the next has everything',
      timeoutMs: 12_000,
    });
  });

  it('a read of the watch list that takes longer than a lease lives costs no lease', async () => {
    for (const one of workers) await one.end();
    let slow: RunningWorker | undefined;
    await database.sql.begin(async (sql) => {
      await sql`lock table catalog.outcomes in access exclusive mode`;
      // Enough connections that one is free while all that read the catalog wait for the lock.
      slow = start({ connections: 8 });
      await waitUntil(() => books(slow?.worker.heldLeases ?? []).length === 4, { what: 'it holds all shards' });
      const tokens = await holders();
      await pause(12_000);
      expect(await holders()).toEqual(tokens);
      const expired = await database.sql`
        select from venue.leases where name like 'books:%' and expires_at < clock_timestamp()`;
      expect(expired).toHaveLength(0);
    });
    expect(slow?.lines.filter((line) => line.includes('was lost'))).toEqual([]);
  }, 60_000);

  it('two workers divide the shards and do not disturb each other', async () => {
    for (const one of workers) await one.end();
    const left = start({ bookShards: 2 });
    await waitUntil(() => books(left.worker.heldLeases).length === 2, { what: 'the left has two' });
    const right = start({ bookShards: 64 });
    await waitUntil(() => books(right.worker.heldLeases).length === 2, { what: 'the right has the others' });
    expect([...books(left.worker.heldLeases), ...books(right.worker.heldLeases)].sort()).toEqual([
      'books:0',
      'books:1',
      'books:2',
      'books:3',
    ]);
    await waitUntil(() => left.worker.flushed.applied > 0 && right.worker.flushed.applied > 0, {
      what: 'both write',
      timeoutMs: FIRST_READ_MS,
    });
  }, 60_000);

  it('a worker that joins takes half of the shards with no void, and hands them over when it ends', async () => {
    for (const one of workers) await one.end();
    const first = start({});
    await waitUntil(
      async () => {
        const pairs = await pairsOf(database);
        const rows = await database.sql`select from price.latest_updates where void_reason is null`;
        return books(first.worker.heldLeases).length === 4 && rows.length >= pairs.length;
      },
      { what: 'the first reads everything', timeoutMs: FIRST_READ_MS },
    );
    const joinedAt = new Date();
    const second = start({});
    const counts = () => [first, second].map(({ worker }) => books(worker.heldLeases).length);
    await waitUntil(() => counts().join() === '2,2', { what: 'each has half', timeoutMs: FIRST_READ_MS });
    await waitUntil(() => second.worker.flushed.applied > 0, { what: 'the second writes', timeoutMs: FIRST_READ_MS });
    await second.worker.handOver(20_000);
    expect(counts()).toEqual([4, 0]);
    await second.end();
    const voids = await database.sql`
      select from price.updates f where f.void_reason is not null and f.priced_at > ${joinedAt}`;
    expect(voids).toHaveLength(0);
  }, 90_000);

  it('a worker that cannot reach a venue takes no shard from one that reads both', async () => {
    const reading = start({});
    await waitUntil(() => books(reading.worker.heldLeases).length > 0, { what: 'it reads', timeoutMs: FIRST_READ_MS });
    await Promise.all(workers.filter((one) => one !== reading).map((one) => one.end()));
    await waitUntil(() => books(reading.worker.heldLeases).length === 4, {
      what: 'it reads everything',
      timeoutMs: FIRST_READ_MS,
    });
    const nowhere = 'http://127.0.0.1:1';
    const settings = settingsFor(venues, database);
    const blind = startWorker(
      { ...settings, venueB: { gamma: nowhere, clob: nowhere, data: nowhere, socket: 'ws://127.0.0.1:1' } },
      {},
    );
    workers.push(blind);
    await waitUntil(
      async () => (await database.sql`select from venue.leases where successor is not null`).length === 2,
      {
        what: 'it warms two shards up',
      },
    );
    // A warm-up of a shard whose holder ends lasts 8 s.
    await pause(10_000);
    expect([books(reading.worker.heldLeases).length, books(blind.worker.heldLeases)]).toEqual([4, []]);
  }, 90_000);
});

describe('worker at venues whose prices do not change', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  const workers: RunningWorker[] = [];

  beforeAll(async () => {
    // The venues' clock does not move, so no book changes.
    [venues, database] = await Promise.all([startVenues('--games', '30', '--clock', fastClock(0)), createDatabase()]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((one) => one.end()));
    venues?.end();
    await database?.close();
  });

  it('writes every price again after a pause longer than its lease, although no price changed', async () => {
    const hung = startWorker(settingsFor(venues, database), {});
    workers.push(hung);
    const voids = () => database.sql`select from price.latest_updates where void_reason is not null`;
    await waitUntil(
      async () => {
        const pairs = await pairsOf(database);
        const rows = await database.sql`select from price.latest_updates where void_reason is null`;
        return (
          hung.worker.heldLeases.filter((name) => name.startsWith('books:')).length === 4 &&
          pairs.length > 15 &&
          rows.length >= pairs.length
        );
      },
      { what: 'everything is priced', timeoutMs: FIRST_READ_MS },
    );
    await database.sql.begin(async (sql) => {
      await sql`update venue.leases set expires_at = clock_timestamp() - interval '1 millisecond' where name like 'books:%'`;
      await sql`select pipeline.refresh_snapshot()`;
      expect((await sql`select from price.latest_updates where void_reason = 'lease.expired'`).length).toBeGreaterThan(
        15,
      );
    });
    await waitUntil(async () => (await voids()).length === 0, {
      what: 'everything is priced again',
      timeoutMs: 30_000,
    });
  }, 90_000);
});
