import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let api: postgres.Sql;
let org: string;
let hash: string;
let organizations = 0;
beforeAll(async () => {
  db = await createDatabase();
  api = postgres(db.url('parallax_api'), { max: 4, prepare: false, fetch_types: false, onnotice: () => {} });
  await db.sql`update account.tiers set window_requests = 6000, month_requests = 100000 where tier = 'pro'`;
});
afterAll(async () => {
  await api.end({ timeout: 1 });
  await db.close();
});
beforeEach(async () => {
  const name = `org ${++organizations}`;
  const [row] = await db.sql<{ key: string }[]>`select account.mint_key(${name}, 'pro') as key`;
  hash = hashKey(row?.key ?? '');
  org = (await db.sql<{ id: string }[]>`select account.find_organization(${name}) as id`)[0]?.id ?? '';
  await db.sql`select account.set_lease_percent(${org}, 10)`;
});

type Lease = { code: string | null; lease_id: string | null; granted: number | null; valid_ms: number | null };
type Counts = { window_used: number; month_used: number };

async function lease(wanted: number, returned: string | null = null, unused: [number, number] = [0, 0]) {
  const [row] = await api<(Lease & Counts & { lease_limit: number | null })[]>`
    select * from api.lease_requests(decode(${hash}, 'hex'), ${wanted}, ${returned}, ${unused[0]}, ${unused[1]})`;
  if (!row) throw new Error('no row');
  return row;
}
const giveBack = (id: string | null, window: number, month: number) =>
  api`select account.return_requests(${id}, ${window}, ${month})`;
const counts = async (): Promise<Counts> => {
  const [row] = await db.sql<Counts[]>`select window_used, month_used from account.usage where org_id = ${org}`;
  return { window_used: row?.window_used ?? -1, month_used: row?.month_used ?? -1 };
};
const setUsed = (window: number, month = 0) =>
  db.sql`
    update account.usage
    set window_began_at = clock_timestamp(), window_used = ${window}, month_used = ${month}
    where org_id = ${org}`;

describe('account.lease_requests', () => {
  test('counts a lease in window and month when it grants it, and states both', async () => {
    await setUsed(50, 70);
    expect(await lease(100)).toMatchObject({
      ...{ code: null, granted: 100, window_used: 150, month_used: 170, lease_limit: 600, window_quota: 6000 },
      ...{ version: expect.stringMatching(/^\d+\.\d+$/), step_left_ms: expect.any(Number) },
    });
    expect(await counts()).toEqual({ window_used: 150, month_used: 170 });
  });

  test('grants at most the share of the organization and a quarter of what is left', async () => {
    expect((await lease(5_000)).granted).toBe(600);
    await setUsed(5_000);
    expect((await lease(5_000)).granted).toBe(250);
    await setUsed(0, 99_900);
    expect((await lease(5_000)).granted).toBe(25);
  });

  test('grants nothing near a limit, so that the database counts the last requests one by one', async () => {
    for (const [window, month] of [
      [5_940, 0],
      [6_000, 0],
      [0, 99_940],
      [0, 100_000],
    ] as const) {
      await setUsed(window, month);
      expect((await lease(500)).lease_id).toBeNull();
      expect(await counts()).toEqual({ window_used: window, month_used: month });
    }
  });

  test('grants nothing to an organization that takes no leases, and states a limit of 0', async () => {
    await db.sql`select account.set_lease_percent(${org}, 0)`;
    expect(await lease(500)).toMatchObject({ code: null, lease_id: null, lease_limit: 0 });
    expect(await counts()).toEqual({ window_used: 0, month_used: 0 });
  });

  test('rejects a key and a plan as admission does', async () => {
    await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org}`;
    expect(await lease(100)).toMatchObject({ code: 'billing.inactive', lease_id: null });
    await db.sql`update account.keys set expires_at = clock_timestamp() where org_id = ${org}`;
    expect(await lease(100)).toMatchObject({ code: 'auth.expired_key', lease_id: null });
    await db.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org}`;
    expect(await lease(100)).toMatchObject({ code: 'auth.revoked_key', lease_id: null, lease_limit: null });
    expect(await counts()).toEqual({ window_used: 0, month_used: 0 });
  });

  test('ends within a second, and before the window and the key end', async () => {
    const validMs = async () => (await lease(100)).valid_ms ?? -1;
    expect(await validMs()).toBeGreaterThan(500);
    expect(await validMs()).toBeLessThanOrEqual(1_000);
    await db.sql`update account.keys set expires_at = clock_timestamp() + interval '400 ms' where org_id = ${org}`;
    expect(await validMs()).toBeLessThanOrEqual(400);
    await db.sql`update account.keys set expires_at = null where org_id = ${org}`;
    await db.sql`
      update account.usage set window_began_at = clock_timestamp() - interval '59.7 seconds' where org_id = ${org}`;
    expect(await validMs()).toBeLessThanOrEqual(300);
  });

  test('waits for the disk, because the isolate spends the lease also after a crash', async () => {
    const commitOf = async (call: string) => {
      let setting = '';
      await api.begin(async (sql) => {
        await sql`set local synchronous_commit = 'on'`;
        await sql.unsafe(call);
        [{ setting = '' } = {}] = await sql<{ setting: string }[]>`
          select current_setting('synchronous_commit') as setting`;
      });
      return setting;
    };
    expect(await commitOf(`select account.admit(decode('${hash}', 'hex'), true, 1, 1)`)).toBe('off');
    expect(await commitOf(`select api.lease_requests(decode('${hash}', 'hex'), 100)`)).toBe('on');
  });
});

describe('account.return_requests', () => {
  test('takes what was not used out of both counts, once', async () => {
    const { lease_id } = await lease(100);
    await giveBack(lease_id, 30, 45);
    expect(await counts()).toEqual({ window_used: 70, month_used: 55 });
    await giveBack(lease_id, 30, 45);
    expect(await counts()).toEqual({ window_used: 70, month_used: 55 });
    expect(await db.sql`select from account.request_leases where org_id = ${org}`).toHaveLength(0);
  });

  test('gives back no more than was granted, and never adds', async () => {
    await setUsed(500, 500);
    await giveBack((await lease(100)).lease_id, 1_000, 1_000);
    expect(await counts()).toEqual({ window_used: 500, month_used: 500 });
    await giveBack((await lease(100)).lease_id, -5, -5);
    expect(await counts()).toEqual({ window_used: 600, month_used: 600 });
  });

  test('belongs to the window of its lease, and leaves a later one alone', async () => {
    const { lease_id } = await lease(100);
    await db.sql`
      update account.usage set window_began_at = clock_timestamp() - interval '61 seconds' where org_id = ${org}`;
    await api`select account.admit(decode(${hash}, 'hex'), true, 1, 1)`;
    await giveBack(lease_id, 40, 40);
    expect(await counts()).toEqual({ window_used: 1, month_used: 61 });
  });

  test('belongs to the month of its lease, also when the next one has begun', async () => {
    const { lease_id } = await lease(100);
    await db.sql`update account.usage set month = '2026-01-01' where org_id = ${org}`;
    await db.sql`update account.request_leases set month = '2026-01-01' where org_id = ${org}`;
    await api`select account.admit(decode(${hash}, 'hex'), true, 1, 1)`;
    await giveBack(lease_id, 0, 40);
    expect((await counts()).month_used).toBe(1);
    const past = await db.sql`select used from account.monthly_usage where org_id = ${org}`;
    expect(past.map(({ used }) => used)).toEqual([60]);
  });

  test('comes in the transaction of the next lease, before that is sized', async () => {
    await setUsed(5_400);
    const first = await lease(1_000);
    expect(first.granted).toBe(150);
    expect((await lease(1_000, first.lease_id, [100, 100])).granted).toBe(137);
    expect(await counts()).toEqual({ window_used: 5_450 + 137, month_used: 50 + 137 });
  });

  test('comes too late a minute after the end: then the lease stays counted, and the purge deletes it', async () => {
    const { lease_id } = await lease(100);
    const { lease_id: other } = await lease(100);
    await db.sql`
      update account.request_leases set expires_at = clock_timestamp() - interval '61 seconds' where org_id = ${org}`;
    await giveBack(lease_id, 100, 100);
    await db.sql`select account.purge_expired()`;
    expect(await db.sql`select from account.request_leases where lease_id = ${other}`).toHaveLength(0);
    expect(await counts()).toEqual({ window_used: 200, month_used: 200 });
  });
});

test('the metric of requests with data never falls when a lease is returned', async () => {
  const metric = async () => {
    const [row] = await db.sql<{ text: string }[]>`select ops.render_openmetrics() as text`;
    return Number(/^parallax_requests_with_data_total (\d+)$/m.exec(row?.text ?? '')?.[1]);
  };
  const before = await metric();
  const { lease_id } = await lease(100);
  expect(await metric()).toBe(before);
  await giveBack(lease_id, 60, 60);
  expect(await metric()).toBe(before + 40);
  await lease(100);
  await db.sql`
    update account.request_leases set expires_at = clock_timestamp() - interval '61 seconds' where org_id = ${org}`;
  expect(await metric()).toBe(before + 140);
});

test('a deletion of the organization ends its leases, and a late return changes nothing', async () => {
  const { lease_id } = await lease(100);
  await db.sql`select account.drop_organization(${org})`;
  await giveBack(lease_id, 50, 50);
  expect(await db.sql`select from account.request_leases where org_id = ${org}`).toHaveLength(0);
});

test('parallax_api reads no lease and changes none', async () => {
  await expect(api`select * from account.request_leases`).rejects.toThrow(/permission denied/);
  await expect(api`select account.set_lease_percent(${org}, 25)`).rejects.toThrow(/permission denied/);
});
