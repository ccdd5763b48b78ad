import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { keyOf, type Minted } from './function/minted.ts';
import { said } from './published_frames.ts';

// What an organization is told of its month and of its reports.

let db: TestDatabase;
let api: postgres.Sql;
let org: Minted;
beforeAll(async () => {
  db = await createDatabase();
  api = postgres(db.url('parallax_api'), { max: 8, prepare: false, fetch_types: false, onnotice: () => {} });
});
afterAll(async () => {
  await api.end({ timeout: 1 });
  await db.close();
});
beforeEach(async () => {
  org = await keyOf(db.sql, 'free');
});

const told = async (type: string) =>
  (await said(db.sql, `org:${org.orgId}`)).filter((frame) => (frame.type as string) === type) as unknown as Record<
    string,
    unknown
  >[];
const marks = async () => (await told('quota')).map(({ percent, used, quota }) => [percent, used, quota]);
const used = (month_used: number) =>
  db.sql`
    update account.usage set month = date_trunc('month', clock_timestamp() at time zone 'UTC')::date, month_used = ${month_used}, window_used = 0
    where org_id = ${org.orgId}`;
const spend = (month = 1, window = 1) =>
  api`select account.admit(account_hash.hash, true, ${window}, ${month}) from (select sha256(convert_to(${org.key}, 'UTF8')) as hash) account_hash`;
const plan = (tier: string) => db.sql`select account.set_plan(${org.orgId}, ${tier}, 'active', 'test')`;

describe('quota frames', () => {
  test('come with the request that reaches 80 % and with the one that reaches 100 %, and with no other', async () => {
    await used(7_998);
    await spend();
    expect(await marks()).toEqual([]);
    await spend();
    expect(await marks()).toEqual([[80, 8_000, 10_000]]);
    for (let n = 0; n < 3; n += 1) await spend();
    await used(9_999);
    await spend(0);
    expect(await marks()).toHaveLength(1);
    await spend();
    expect(await marks()).toEqual([
      [80, 8_000, 10_000],
      [100, 10_000, 10_000],
    ]);
    await spend();
    expect(await marks()).toHaveLength(2);
  });

  test('state the month and its end', async () => {
    await used(7_999);
    await spend();
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    expect(await told('quota')).toEqual([
      {
        type: 'quota',
        percent: 80,
        used: 8_000,
        quota: 10_000,
        month: now.toISOString().slice(0, 7),
        resets_at: next.toISOString(),
      },
    ]);
  });

  test('come once for each mark, with many requests that reach it at once', async () => {
    await used(7_990);
    await Promise.all(Array.from({ length: 40 }, () => spend()));
    expect(await marks()).toEqual([[80, 8_000, 10_000]]);
  });

  test('of both marks come in order when one request reaches both', async () => {
    await used(7_999);
    await spend(2_001);
    expect((await marks()).map(([percent]) => percent)).toEqual([80, 100]);
  });

  test('are rolled back with the request that is rolled back', async () => {
    await used(7_999);
    await api
      .begin(async (sql) => {
        await sql`select account.admit(sha256(convert_to(${org.key}, 'UTF8')), true, 1, 1)`;
        throw new Error('undone');
      })
      .catch((error: Error) => expect(error.message).toBe('undone'));
    expect(await marks()).toEqual([]);
    await spend();
    expect(await marks()).toHaveLength(1);
  });

  test('come again for a limit that an upgrade has raised, and once for each limit after any change of plan', async () => {
    await used(7_999);
    await spend();
    await plan('basic');
    await spend();
    expect(await marks()).toHaveLength(1);
    await used(799_999);
    await spend();
    expect((await marks()).at(-1)).toEqual([80, 800_000, 1_000_000]);
    await plan('premium');
    await plan('basic');
    await used(799_999);
    await spend();
    expect(await marks()).toHaveLength(2);
  });

  test('come with a plan whose limit is already used, because no request will follow', async () => {
    await plan('basic');
    await used(8_500);
    await plan('free');
    expect(await marks()).toEqual([[80, 8_500, 10_000]]);
    await plan('basic');
    await plan('free');
    expect(await marks()).toHaveLength(1);
  });

  test('start again with each month, and notices of past months are deleted', async () => {
    await used(7_999);
    await spend();
    await db.sql`update account.quota_notices set month = month - interval '1 month' where org_id = ${org.orgId}`;
    await db.sql`update account.usage set month = (month - interval '1 month')::date, month_used = 9000 where org_id = ${org.orgId}`;
    await spend();
    expect(await marks()).toHaveLength(1);
    await used(7_999);
    await spend();
    expect(await marks()).toHaveLength(2);
    await db.sql`select account.purge_expired()`;
    const rows = await db.sql`select month from account.quota_notices where org_id = ${org.orgId}`;
    expect(rows).toHaveLength(1);
  });
});

describe('review of a report', () => {
  const file = async (detail = 'inverted') => {
    const [row] = await db.sql<{ id: string }[]>`
      select arb.file_report(${org.orgId}, null, ${db.sql.json({ opp_id: 'opp_x', detail })}) as id`;
    return row?.id ?? '';
  };
  const review = async (id: string | null, verdict: string | null, note: string | null = null) => {
    const [row] = await db.sql<{ moved: boolean }[]>`select arb.review_report(${id}, ${verdict}, ${note}) as moved`;
    return row?.moved;
  };

  test('is done once, and the organization receives the verdict and the note', async () => {
    const id = await file();
    expect(await review(id, 'upheld', ' you were right ')).toBe(true);
    expect(await told('report')).toEqual([
      {
        type: 'report',
        report_id: id,
        opp_id: 'opp_x',
        received_at: expect.stringMatching(/Z$/),
        verdict: 'upheld',
        note: 'you were right',
        reviewed_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await review(id, 'upheld', 'once more')).toBe(false);
    expect(await told('report')).toHaveLength(1);
    const [kept] = await db.sql`select verdict, note from arb.reports where report_id = ${id}`;
    expect(kept).toEqual({ verdict: 'upheld', note: 'you were right' });
  });

  test('is done by one of two operators who try at once', async () => {
    const id = await file();
    const both = await Promise.allSettled([review(id, 'upheld'), review(id, 'dismissed')]);
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await told('report')).toHaveLength(1);
  });

  test('fails for a second verdict, an unknown report, another word, or a note that is too long', async () => {
    const id = await file();
    await review(id, 'dismissed');
    const refused = (call: Promise<unknown>, words: RegExp) =>
      expect(call).rejects.toMatchObject({ code: '22023', message: expect.stringMatching(words) });
    await refused(review(id, 'upheld'), /dismissed already, on 20/);
    await refused(review('00000000-0000-4000-8000-000000000000', 'upheld'), /no report/);
    await refused(review(null, 'upheld'), /no report/);
    const other = await file();
    for (const verdict of ['confirmed', '', null]) await refused(review(other, verdict), /"upheld" or "dismissed"/);
    await refused(review(other, 'upheld', 'x'.repeat(2_001)), /2,000/);
    expect(await told('report')).toHaveLength(1);
  });

  test('is open to operators alone', async () => {
    for (const role of ['anon', 'authenticated', 'parallax_api', 'parallax_ingest', 'parallax_stream']) {
      const [row] = await db.sql<{ may: boolean }[]>`
        select has_function_privilege(${role}, 'arb.review_report(uuid, text, text)', 'execute') as may`;
      expect(row?.may, role).toBe(false);
    }
  });
});
