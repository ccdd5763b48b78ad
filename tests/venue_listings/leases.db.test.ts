import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { untilWaitingForLock } from '../support/lock_wait.ts';

/**
 * Guarantee: one worker at a time writes the books of a lease, and a worker that paused for longer
 * than its lease learns that it lost the lease.
 */

let db: TestDatabase;
const NAME = 'books:0';
const holder = randomUUID();
const other = randomUUID();

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`
    update venue.leases
    set holder = ${holder}, token = 7, expires_at = clock_timestamp() + interval '1 minute', ttl = interval '1 minute',
        successor = null,
        successor_expires_at = null, handover_at = null
    where name = ${NAME}`;
});

const renew = (holder: string, token: number) =>
  db.sql`select name from venue.renew_leases(${holder}, ${db.sql.json({ [NAME]: token })}, interval '1 minute')`;
const left = async () => {
  const [row] = await db.sql<{ seconds: number }[]>`
    select extract(epoch from expires_at - clock_timestamp())::float8 as seconds from venue.leases where name = ${NAME}`;
  return row?.seconds ?? 0;
};

describe('venue.renew_leases', () => {
  it('renews a lease that its holder holds with its token, and no other', async () => {
    await db.sql`update venue.leases set expires_at = clock_timestamp() + interval '1 second' where name = ${NAME}`;
    expect(await renew(other, 7)).toHaveLength(0);
    expect(await renew(holder, 6)).toHaveLength(0);
    expect(await left()).toBeLessThan(2);
    expect(await renew(holder, 7)).toEqual([{ name: NAME }]);
    expect(await left()).toBeGreaterThan(50);
  });

  it('does not renew a lease that has expired: its holder must claim it and send every price again', async () => {
    await db.sql`
      update venue.leases set expires_at = clock_timestamp() - interval '1 millisecond' where name = ${NAME}`;
    expect(await renew(holder, 7)).toHaveLength(0);
    expect(await left()).toBeLessThan(0);
    const [claimed] = await db.sql<{ token: string; warm: boolean }[]>`
      select token, warm from venue.claim_leases(${holder}, ${NAME}, 1, interval '1 minute', null)`;
    expect(claimed).toMatchObject({ token: '8', warm: false });
  });
});

describe('venue.lock_held_leases', () => {
  it('keeps a successor from taking over until the write that it checked has committed', async () => {
    await db.sql`
      update venue.leases set successor = ${other}, successor_expires_at = clock_timestamp() + interval '1 minute'
      where name = ${NAME}`;
    const order: string[] = [];
    const takeOver = async () => {
      const [row] = await db.sql<{ token: string }[]>`
        select venue.take_over_lease(${other}, ${NAME}, interval '1 minute', null) as token`;
      order.push(`taken over with token ${row?.token}`);
    };
    let taking: Promise<void> = Promise.resolve();
    await db.sql.begin(async (sql) => {
      const [row] = await sql<{ held: string[] }[]>`select venue.lock_held_leases(${sql.json({ [NAME]: 7 })}) as held`;
      expect(row?.held).toEqual([NAME]);
      taking = takeOver();
      await untilWaitingForLock(db.sql, 'venue.take_over_lease');
      order.push('written');
    });
    await taking;
    expect(order).toEqual(['written', 'taken over with token 8']);
    const [row] = await db.sql<
      { held: string[] }[]
    >`select venue.lock_held_leases(${db.sql.json({ [NAME]: 7 })}) as held`;
    expect(row?.held).toEqual([]);
  });
});

describe('venue.release_leases', () => {
  const called = async (): Promise<number> => (await db.sql`select from net.http_request_queue`).length;
  const claimAndRelease = async (name: string): Promise<void> => {
    const own = randomUUID();
    const [claimed] = await db.sql<{ token: string }[]>`
      select token::text as token from venue.claim_leases(${own}, ${name}, 1, interval '1 minute', null)`;
    await db.sql`select venue.release_leases(${own}, ${db.sql.json({ [name]: claimed?.token ?? '' })})`;
  };

  it('calls ingest once for the listings of each venue, also in the same moment, but not after a sweep', async () => {
    await db.sql`
      select vault.create_secret('http://127.0.0.1:1', 'project_url'), vault.create_secret('x', 'cron_key')`;
    await db.sql`select venue.resume_sweep('venue_a'), venue.resume_sweep('venue_b')`;
    await claimAndRelease('listings:venue_a');
    expect(await called()).toBe(1);
    await claimAndRelease('listings:venue_b');
    expect(await called()).toBe(2);
    await db.sql`update venue.sweeps set finished_at = clock_timestamp()`;
    await claimAndRelease('listings:venue_a');
    expect(await called()).toBe(2);
  });
});
