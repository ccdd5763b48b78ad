import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { fastClock, type Running, running } from '../venue_simulator/running.ts';
import { pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';

describe('shifts share the world by leases', () => {
  let venues: Running;
  let database: TestDatabase;
  const shifts: RunningWorker[] = [];

  beforeAll(async () => {
    [venues, database] = await Promise.all([running('--games', '30'), createDatabase()]);
  });
  afterAll(async () => {
    await Promise.all(shifts.map((one) => one.end()));
    venues?.end();
    await database?.close();
  });

  const start = (options: Parameters<typeof startWorker>[1]): RunningWorker => {
    const shift = startWorker(settingsFor(venues, database), options);
    shifts.push(shift);
    return shift;
  };
  const holders = async (): Promise<Map<string, { holder: string | null; token: string }>> => {
    const rows = await database.sql<{ name: string; holder: string | null; token: string }[]>`
      select name, holder, token::text as token from venue.leases`;
    return new Map(rows.map((row) => [row.name, row]));
  };
  const books = (held: readonly string[]): string[] => held.filter((name) => name.startsWith('books:'));

  it('one that ends is followed without a void, a lost update, or one applied twice', async () => {
    const first = start({ endsAt: Date.now() + 24_000 });
    await waitUntil(
      async () => {
        const pairs = await pairsOf(database);
        const rows = await database.sql`select from price.latest_updates where void_reason is null`;
        return books(first.worker.heldLeases).length === 4 && pairs.length > 15 && rows.length >= pairs.length;
      },
      { what: 'the first reads everything' },
    );
    const tokens = await holders();
    const second = start({});
    const taken = Date.now();
    await waitUntil(() => books(second.worker.heldLeases).length === 4, {
      what: 'the second has taken over',
      timeoutMs: 25_000,
    });
    const handed = await holders();
    for (const name of books(second.worker.heldLeases)) {
      expect(Number(handed.get(name)?.token)).toBe(Number(tokens.get(name)?.token) + 1);
    }
    // The old one is told with its next write or renewal, and stops writing at once.
    await waitUntil(() => books(first.worker.heldLeases).length === 0, {
      what: 'the first has let go',
      timeoutMs: 6_000,
    });
    const frames = first.worker.flushed.applied;
    await pause(1_500);
    expect(first.worker.flushed.applied).toBe(frames);

    const voids = await database.sql`
      select f.pair_id, f.void_reason as void from price.updates f where f.void_reason is not null and f.priced_at > ${new Date(taken)}`;
    expect(voids).toEqual([]);
    // Twice applied would be two equal frames in a row.
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
      { what: 'prices go on' },
    );
  });

  it('one that dies without a word is replaced when its leases run out', async () => {
    for (const one of shifts) await one.end();
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

  it('two at once divide the slices and leave each other alone', async () => {
    for (const one of shifts) await one.end();
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
    await waitUntil(() => left.worker.flushed.applied > 0 && right.worker.flushed.applied > 0, { what: 'both write' });
  });
});

describe('a shift at venues whose prices do not change', () => {
  let venues: Running;
  let database: TestDatabase;
  const shifts: RunningWorker[] = [];

  beforeAll(async () => {
    // The venues' clock does not move, so no book does.
    [venues, database] = await Promise.all([running('--games', '30', '--clock', fastClock(0)), createDatabase()]);
  });
  afterAll(async () => {
    await Promise.all(shifts.map((one) => one.end()));
    venues?.end();
    await database?.close();
  });

  it('sends every price again when it paused for longer than its lease, although no price changed meanwhile', async () => {
    const hung = startWorker(settingsFor(venues, database), {});
    shifts.push(hung);
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
      { what: 'everything is priced' },
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
      timeoutMs: 10_000,
    });
  });
});
