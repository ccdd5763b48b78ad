import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdShardLeases, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: a price update is written only under the current lease of the shard of its pair. */

let db: TestDatabase;
const AT = '2026-11-20T12:00:05Z';

beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:10:00Z');
  await putPair(db.sql, { n: 1 });
});
afterAll(() => db.close());

const update = (ask: number) => ({
  pair: uuidOf(1),
  at: Date.parse(AT),
  ask_a: [ask, 610_000],
  ask_b: [410_000, 600_000],
  bid_a: [null, null],
  bid_b: [null, null],
  size_a: [null, null],
  size_b: [null, null],
  ladder_a: null,
  read_a: Date.parse(AT),
  read_b: Date.parse(AT),
  void: null,
  opp: null,
});
const tokens = async () => {
  const rows = await db.sql<{ name: string; token: string }[]>`
    select name, token from venue.leases where name like 'books:%'`;
  return Object.fromEntries(rows.map(({ name, token }) => [name, Number(token)]));
};
const shardLease = async () => {
  const [row] = await db.sql<{ name: string }[]>`
    select 'books:' || (p.shard_key % (select s.shards from price.settings s)) as name
    from catalog.pairs p where p.pair_id = ${uuidOf(1)}`;
  if (!row) throw new Error('no pair');
  return row.name;
};
const apply = async (tokensByLease: Record<string, number>, ask: number) => {
  await db.sql`select pipeline.apply_books(${db.sql.json(tokensByLease)}, ${db.sql.json([update(ask)])})`;
  const kept = await db.sql<{ ask_a: number[] }[]>`
    select ask_a from price.updates where pair_id = ${uuidOf(1)} order by update_no`;
  return kept.map((row) => row.ask_a[0]);
};

describe('a flush of price updates', () => {
  test('writes nothing for a worker whose lease another has taken over', async () => {
    const before = await tokens();
    await db.sql`
      update venue.leases set expires_at = clock_timestamp() - interval '1 second' where name = ${await shardLease()}`;
    const [taken] = await db.sql<{ token: string | null }[]>`
      select venue.take_over_lease(gen_random_uuid(), ${await shardLease()}, interval '1 hour', null) as token`;
    expect(Number(taken?.token)).toBe((before[await shardLease()] ?? Number.NaN) + 1);
    expect(await apply(before, 400_000)).toEqual([]);
  });

  test('writes nothing for a worker that holds every shard but this one', async () => {
    const { [await shardLease()]: _, ...others } = await tokens();
    expect(Object.keys(others).length).toBeGreaterThan(0);
    expect(await apply(others, 401_000)).toEqual([]);
  });

  test('is written for the lease holder', async () => {
    expect(await apply(await tokens(), 402_000)).toEqual([402_000]);
  });
});
