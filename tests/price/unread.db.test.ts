import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdShardLeases, putPair, putUpdate, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: prices of a shard without a worker are void from the end of its lease, however late
 * that is noticed, so that REST never serves a price that no worker read.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

/** How far market time is from real time. It runs, so that no two moments are the same. */
const OFFSET = '17 hours 3 minutes';

beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, price.updates, price.latest_updates`;
  await db.sql`delete from clock.segments`;
  await db.sql`
    insert into clock.segments (real_from, market_from, rate)
    select r, r + ${OFFSET}::interval, 1 from (select clock_timestamp() - interval '1 day' as r) t`;
  await holdShardLeases(db.sql);
  for (const n of [1, 2]) await putPair(db.sql, { n });
  await price(1, 90);
});

/** Prices of a pair that were read so many seconds ago. */
async function price(n: number, secondsAgo: number, ask = 450_000): Promise<void> {
  const [row] = await db.sql<{ at: Date }[]>`
    select date_trunc('milliseconds', clock.now() - ${`${secondsAgo} seconds`}::interval) as at`;
  const at = row?.at.toISOString() ?? '';
  await putUpdate(db.sql, n, { at, ask_a: [ask, 560_000], ask_b: [460_000, 550_000] });
}
const leaseOf = (n: number) => db.sql<{ name: string }[]>`
  select 'books:' || (p.shard_key % (select s.shards from price.settings s)) as name
  from catalog.pairs p where p.pair_id = ${uuidOf(n)}`;
const nameOf = async (n: number) => (await leaseOf(n))[0]?.name ?? '';

/** The lease of this pair ended so many seconds ago. `ttl` is what it was taken for. */
async function expire(n: number, secondsAgo: number, ttl = '10 seconds'): Promise<void> {
  await db.sql`
    update venue.leases set expires_at = clock_timestamp() - ${`${secondsAgo} seconds`}::interval, ttl = ${ttl}::interval
    where name = ${await nameOf(n)}`;
}

/** The newest update of a pair: its reason to be void, and its age in seconds of market time. */
async function newest(n: number): Promise<{ reason: string | null; age: number }> {
  const [row] = await db.sql<{ reason: string | null; age: number }[]>`
    select l.void_reason as reason, extract(epoch from clock.now() - l.priced_at)::float8 as age
    from price.latest_updates l where l.pair_id = ${uuidOf(n)}`;
  if (!row) throw new Error(`no update of ${n}`);
  return row;
}
/** Pairs of the shard of pair 1 that a pass made void. */
const voided = async () => {
  const [row] = await db.sql<{ n: number }[]>`
    select coalesce(cardinality(price.void_unread_pairs()), 0) as n`;
  return row?.n;
};

/**
 * The age as seen a moment later. The moment has no upper bound, because a machine may be busy;
 * a wrong moment is at least twenty seconds away.
 */
async function expectVoid(n: number, secondsAgo: number): Promise<void> {
  const [row] = await db.sql<{ reason: string; since: number }[]>`
    select l.void_reason as reason,
           extract(epoch from clock.to_market_time(w.expires_at) - l.priced_at)::float8 + ${secondsAgo} as since
    from price.latest_updates l, venue.leases w
    where l.pair_id = ${uuidOf(n)} and w.name = ${await nameOf(n)}`;
  expect(row?.reason).toBe('lease.expired');
  expect(row?.since).toBeCloseTo(secondsAgo, 1);
}

test('prices are void from the end of the lease, and once', async () => {
  await expire(1, 60);
  expect(await voided()).toBe(1);
  await expectVoid(1, 60);
  const before = await db.sql`select * from price.updates`;
  expect(await voided()).toBe(0);
  expect(await db.sql`select * from price.updates`).toEqual(before);
});

test('prices that were read after the end of the lease are void from their own time', async () => {
  await price(1, 20, 440_000);
  const [{ at } = { at: null }] = await db.sql`select priced_at as at from price.latest_updates`;
  await expire(1, 60);
  expect(await voided()).toBe(1);
  expect(await db.sql`select void_reason as reason, priced_at as at from price.latest_updates`).toEqual([
    { reason: 'lease.expired', at },
  ]);
});

test.each<[string, string]>([
  ['was released', 'holder = null, expires_at = null'],
  [
    'ends later than it was taken for, because the clock was set back',
    "expires_at = clock_timestamp() + interval '1 minute', ttl = '10 seconds'",
  ],
])('prices are void from now where the lease %s', async (_, change) => {
  await db.sql.unsafe(`update venue.leases set ${change} where name = '${await nameOf(1)}'`);
  const [{ at } = { at: 0 }] = await db.sql`select extract(epoch from clock.now())::float8 as at`;
  expect(await voided()).toBe(1);
  const [row] = await db.sql`
    select void_reason as reason, extract(epoch from priced_at)::float8 - ${at} as later from price.latest_updates`;
  expect(row?.reason).toBe('lease.expired');
  expect(row?.later).toBeGreaterThanOrEqual(0);
});

test('a lease that still runs, and the shards of others, keep their prices', async () => {
  await price(2, 90);
  expect(await nameOf(2)).not.toBe(await nameOf(1));
  expect(await voided()).toBe(0);
  await expire(2, 30);
  expect(await voided()).toBe(1);
  expect(await newest(1)).toMatchObject({ reason: null });
  await expectVoid(2, 30);
});
