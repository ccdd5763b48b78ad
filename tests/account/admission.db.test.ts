import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let api: postgres.Sql;
let other: postgres.Sql;
beforeAll(async () => {
  db = await createDatabase();
  const pool = () =>
    postgres(db.url('parallax_api'), { max: 4, prepare: false, fetch_types: false, onnotice: () => {} });
  api = pool();
  other = pool();
});
afterAll(async () => {
  await Promise.all([api.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  await db.close();
});

type Admission = {
  status: number | null;
  code: string | null;
  tier: string | null;
  window_used: number | null;
  window_left_s: number | null;
  month_used: number | null;
};

let organizationCount = 0;
async function organization(tier = 'free') {
  const name = `org ${++organizationCount}`;
  const [row] = await db.sql<{ key: string; org_id: string }[]>`
    with minted as materialized (select account.mint_key(${name}, ${tier}) as key) select key from minted`;
  const [org] = await db.sql<{ org_id: string }[]>`select org_id from account.organizations where name = ${name}`;
  return { hash: hashKey(row?.key ?? ''), org: org?.org_id ?? '', name };
}

async function admit(
  hash: string,
  spend: { window?: number; month?: number; feature?: string } = {},
  sql = api,
): Promise<Admission> {
  const { window = 1, month = 1, feature = null } = spend;
  const [row] = await sql<Admission[]>`
    select * from account.admit(decode(${hash}, 'hex'), ${month > 0}, ${window}, ${month}, ${feature})`;
  if (!row) throw new Error('no admission');
  return row;
}

describe('account.admit', () => {
  test('returns the organization of a key, with its tier and its counts after this request', async () => {
    const { hash } = await organization('premium');
    expect(await admit(hash)).toMatchObject({
      status: null,
      code: null,
      tier: 'premium',
      window_quota: 1500,
      window_used: 1,
      window_left_s: 60,
      month_quota: 5_000_000,
      month_used: 1,
    });
  });

  test('gives one error for an unknown or revoked key and for one of a deleted organization, another for an expired one', async () => {
    const rejection = { status: 401, code: 'auth.revoked_key', tier: null };
    expect(await admit('00'.repeat(32))).toMatchObject(rejection);
    const { hash, org } = await organization();
    await db.sql`update account.keys set expires_at = clock_timestamp() + interval '1 hour' where org_id = ${org}`;
    expect((await admit(hash)).code).toBeNull();
    await db.sql`update account.keys set expires_at = clock_timestamp() where org_id = ${org}`;
    expect(await admit(hash)).toMatchObject({ ...rejection, code: 'auth.expired_key' });
    await db.sql`update account.keys set expires_at = null, revoked_at = clock_timestamp() where org_id = ${org}`;
    expect(await admit(hash)).toMatchObject(rejection);
    await db.sql`delete from account.organizations where org_id = ${org}`;
    expect(await admit(hash)).toMatchObject(rejection);
  });

  test('raises 402 before 403, and 403 before 429', async () => {
    const { hash, org } = await organization('free');
    await db.sql`update account.usage set window_began_at = clock_timestamp(), window_used = 600 where org_id = ${org}`;
    await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org}`;
    expect(await admit(hash, { feature: 'webhook' })).toMatchObject({ status: 402, code: 'billing.inactive' });
    await db.sql`update account.subscriptions set status = 'active' where org_id = ${org}`;
    expect(await admit(hash, { feature: 'webhook' })).toMatchObject({ status: 403, code: 'webhook.tier' });
    expect(await admit(hash)).toMatchObject({ status: 429, code: 'rate.window', window_used: 600 });
    expect((await admit((await organization('basic')).hash, { feature: 'webhook' })).code).toBeNull();
  });
});

describe('the rate-limit window', () => {
  test('opens with the first request after the last window ended, and lasts 60 s', async () => {
    const { hash, org } = await organization();
    await admit(hash);
    await db.sql`update account.usage set window_began_at = clock_timestamp() - interval '59 seconds', window_used = 600 where org_id = ${org}`;
    expect(await admit(hash)).toMatchObject({ code: 'rate.window', window_left_s: 1 });
    await db.sql`update account.usage set window_began_at = clock_timestamp() - interval '60 seconds' where org_id = ${org}`;
    expect(await admit(hash)).toMatchObject({ code: null, window_used: 1, window_left_s: 60 });
  });

  test('is not restarted by a request within it', async () => {
    const { hash, org } = await organization();
    await db.sql`
      update account.usage set window_began_at = clock_timestamp() - interval '30 seconds', window_used = 5 where org_id = ${org}`;
    const began = async () =>
      (await db.sql<{ at: string }[]>`select window_began_at::text as at from account.usage where org_id = ${org}`)[0]
        ?.at;
    const before = await began();
    const first = await admit(hash);
    expect(first).toMatchObject({ code: null, window_used: 6 });
    // A busy machine may be a few seconds late.
    expect(first.window_left_s).toBeLessThanOrEqual(30);
    expect(first.window_left_s).toBeGreaterThan(20);
    expect(await began()).toBe(before);
    const second = await admit(hash);
    expect(second.window_used).toBe(7);
    expect(second.window_left_s).toBeLessThanOrEqual(first.window_left_s ?? 0);
    expect(await began()).toBe(before);
  });

  test('is shared by all keys of an organization', async () => {
    const { hash, name } = await organization();
    const [second] = await db.sql<{ key: string }[]>`select account.mint_key(${name}, 'free') as key`;
    await admit(hash);
    expect(await admit(hashKey(second?.key ?? ''))).toMatchObject({ window_used: 2 });
  });

  test('is not charged for a rejected request', async () => {
    const { hash, org } = await organization();
    await db.sql`update account.usage set window_began_at = clock_timestamp(), window_used = 600, month_used = 7 where org_id = ${org}`;
    await admit(hash);
    const [usage] = await db.sql`select window_used, month_used from account.usage where org_id = ${org}`;
    expect(usage).toEqual({ window_used: 600, month_used: 7 });
  });

  test('is neither charged nor written by a request of cost zero', async () => {
    const { hash, org } = await organization();
    const row = () => db.sql`select xmin::text, window_used, month_used from account.usage where org_id = ${org}`;
    const before = await row();
    expect(await admit(hash, { window: 0, month: 0 })).toMatchObject({ code: null, window_used: 0 });
    expect(await row()).toEqual(before);
  });

  test('rejects a request of cost zero when it is full, before any work is done', async () => {
    const { hash, org } = await organization();
    const set = (used: number) =>
      db.sql`update account.usage set window_began_at = clock_timestamp(), window_used = ${used} where org_id = ${org}`;
    await set(600);
    expect(await admit(hash, { window: 0, month: 0 })).toMatchObject({
      status: 429,
      code: 'rate.window',
      window_used: 600,
    });
    await set(599);
    expect(await admit(hash, { window: 0, month: 0 })).toMatchObject({ status: null, code: null, window_used: 599 });
  });
});

describe('the monthly quota', () => {
  test('rejects requests that carry data, and no others, when it is used up', async () => {
    const { hash, org } = await organization();
    await db.sql`update account.usage set month_used = 9999 where org_id = ${org}`;
    expect((await admit(hash)).code).toBeNull();
    expect(await admit(hash)).toMatchObject({ status: 429, code: 'rate.quota', month_used: 10_000 });
    expect((await admit(hash, { month: 0 })).code).toBeNull();
  });

  test('restarts with the UTC month, and the first request of the new month stores the old count', async () => {
    const { hash, org } = await organization();
    await db.sql`update account.usage set month = '2026-01-01', month_used = 10000 where org_id = ${org}`;
    expect(await admit(hash)).toMatchObject({ code: null, month_used: 1 });
    expect(await db.sql`select month::text, used from account.monthly_usage where org_id = ${org}`).toEqual([
      { month: '2026-01-01', used: 10000 },
    ]);
    const [row] = await db.sql`
      select u.month = date_trunc('month', clock_timestamp() at time zone 'UTC')::date as current from account.usage u where org_id = ${org}`;
    expect(row?.current).toBe(true);
  });
});

test('admission is exact under concurrency: of 50 requests from two pools with 17 left, 17 pass', async () => {
  const { hash, org } = await organization();
  await db.sql`update account.usage set window_began_at = clock_timestamp(), window_used = 583 where org_id = ${org}`;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => admit(hash, {}, i % 2 ? api : other)));
  expect(answers.filter((answer) => answer.code === null)).toHaveLength(17);
  expect(answers.filter((answer) => answer.code === 'rate.window')).toHaveLength(33);
  expect(new Set(answers.flatMap((answer) => (answer.code === null ? [answer.window_used] : []))).size).toBe(17);
  expect(await db.sql`select window_used, month_used from account.usage where org_id = ${org}`).toEqual([
    { window_used: 600, month_used: 17 },
  ]);
});

test('last_used_at of a key is rounded to the minute and written once a minute', async () => {
  const { hash, org } = await organization();
  await admit(hash);
  const row = () => db.sql`select xmin::text, last_used_at from account.keys where org_id = ${org}`;
  const first = await row();
  expect(first[0]?.last_used_at?.getTime() % 60_000).toBe(0);
  await admit(hash);
  if ((await row())[0]?.last_used_at?.getTime() === first[0]?.last_used_at?.getTime())
    expect(await row()).toEqual(first);
});

describe('row-level security of admission', () => {
  const tables = ['organizations', 'subscriptions', 'usage', 'monthly_usage'] as const;

  test('shows parallax_api no organization before admission', async () => {
    await organization();
    for (const table of tables) expect(await api.unsafe(`select * from account.${table}`)).toEqual([]);
    expect(await api`select key_id from account.keys`).toEqual([]);
  });

  test('shows only the admitted organization after it, and only until the transaction ends', async () => {
    const { hash, org } = await organization();
    await organization();
    await api.begin(async (sql) => {
      await sql`select account.admit(decode(${hash}, 'hex'), true, 0, 0)`;
      for (const table of tables.slice(0, 3)) {
        expect((await sql.unsafe(`select org_id from account.${table}`)).map((row) => row.org_id)).toEqual([org]);
      }
      expect(await sql`select org_id from account.keys`).toEqual([{ org_id: org }]);
    });
    expect(await api`select * from account.organizations`).toEqual([]);
  });

  test('shows a rejected caller no organization', async () => {
    const { hash, org } = await organization();
    await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org}`;
    await api.begin(async (sql) => {
      await sql`select account.admit(decode(${hash}, 'hex'), true, 0, 0)`;
      expect(await sql`select * from account.organizations`).toEqual([]);
    });
  });

  test('lets parallax_api read no key hash, write no table and mint no key', async () => {
    await expect(api`select hash from account.keys`).rejects.toThrow(/permission denied/);
    await expect(api`select * from account.keys`).rejects.toThrow(/permission denied/);
    await expect(api`update account.usage set window_used = 0`).rejects.toThrow(/permission denied/);
    await expect(api`select account.mint_key('mine', 'pro')`).rejects.toThrow(/permission denied/);
    await expect(api`select account.insert_key(gen_random_uuid(), 'x')`).rejects.toThrow(/permission denied/);
  });

  test('shows a signed-in person the organizations of the person, and an anonymous caller none', async () => {
    const mine = await organization();
    await organization();
    const user = '6f1f5f6e-4c58-4b6f-8d0a-3d1f0e8f0b11';
    await db.sql`insert into auth.users (id, email) values (${user}, 'a@b.example')`;
    await db.sql`insert into account.members (org_id, user_id, role) values (${mine.org}, ${user}, 'owner')`;
    await db.sql`insert into auth.sessions (id, user_id) values (${user}, ${user})`;
    const as = (sub: string) =>
      db.sql.begin(async (sql) => {
        await sql`set local role authenticated`;
        await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub, session_id: sub, role: 'authenticated' })}, true)`;
        const found = [
          await sql`select org_id from account.organizations`,
          await sql`select org_id from account.members`,
        ];
        for (const table of ['subscriptions', 'usage', 'keys'])
          found.push(await sql.unsafe(`select org_id from account.${table}`));
        return found.map((rows) => rows.map((row) => row.org_id));
      });
    expect(await as(user)).toEqual([[mine.org], [mine.org], [mine.org], [mine.org], [mine.org]]);
    expect(await as('00000000-0000-4000-8000-000000000000')).toEqual([[], [], [], [], []]);
    await expect(
      db.sql.begin(async (sql) => {
        await sql`set local role anon`;
        await sql`select * from account.organizations`;
      }),
    ).rejects.toThrow(/permission denied/);
  });
});
