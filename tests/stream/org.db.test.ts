import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createKey, type OrganizationKey } from './function/minted.ts';
import { publishedFrames } from './published_frames.ts';

// The frames that an organization receives about its monthly quota and its reports.

let db: TestDatabase;
let api: postgres.Sql;
let org: OrganizationKey;
beforeAll(async () => {
  db = await createDatabase();
  api = postgres(db.url('parallax_api'), { max: 8, prepare: false, fetch_types: false, onnotice: () => {} });
});
afterAll(async () => {
  await api.end({ timeout: 1 });
  await db.close();
});
beforeEach(async () => {
  org = await createKey(db.sql, 'free');
});

const framesOfType = async (type: string) =>
  (await publishedFrames(db.sql, `org:${org.orgId}`)).filter(
    (frame) => (frame.type as string) === type,
  ) as unknown as Record<string, unknown>[];
const quotaFrames = async () => (await framesOfType('quota')).map(({ percent, used, quota }) => [percent, used, quota]);
const setUsage = (month_used: number) =>
  db.sql`
    update account.usage set month = date_trunc('month', clock_timestamp() at time zone 'UTC')::date, month_used = ${month_used}, window_used = 0
    where org_id = ${org.orgId}`;
const spend = (month = 1, window = 1) =>
  api`select account.admit(account_hash.hash, true, ${window}, ${month}) from (select sha256(convert_to(${org.key}, 'UTF8')) as hash) account_hash`;
const plan = (tier: string) => db.sql`select account.set_plan(${org.orgId}, ${tier}, 'active', 'test')`;

describe('quota frames', () => {
  test('come with the request that reaches 80 % and with the one that reaches 100 %, and with no other', async () => {
    await setUsage(7_998);
    await spend();
    expect(await quotaFrames()).toEqual([]);
    await spend();
    expect(await quotaFrames()).toEqual([[80, 8_000, 10_000]]);
    for (let n = 0; n < 3; n += 1) await spend();
    await setUsage(9_999);
    await spend(0);
    expect(await quotaFrames()).toHaveLength(1);
    await spend();
    expect(await quotaFrames()).toEqual([
      [80, 8_000, 10_000],
      [100, 10_000, 10_000],
    ]);
    await spend();
    expect(await quotaFrames()).toHaveLength(2);
  });

  test('state the month and its end', async () => {
    await setUsage(7_999);
    await spend();
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    expect(await framesOfType('quota')).toEqual([
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
    await setUsage(7_990);
    await Promise.all(Array.from({ length: 40 }, () => spend()));
    expect(await quotaFrames()).toEqual([[80, 8_000, 10_000]]);
  });

  test('come in order when one request reaches both marks', async () => {
    await setUsage(7_999);
    await spend(2_001);
    expect((await quotaFrames()).map(([percent]) => percent)).toEqual([80, 100]);
  });

  test('are rolled back with the request that is rolled back', async () => {
    await setUsage(7_999);
    await api
      .begin(async (sql) => {
        await sql`select account.admit(sha256(convert_to(${org.key}, 'UTF8')), true, 1, 1)`;
        throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    expect(await quotaFrames()).toEqual([]);
    await spend();
    expect(await quotaFrames()).toHaveLength(1);
  });

  test('come again for a limit that an upgrade has raised, and once for each limit after any change of plan', async () => {
    await setUsage(7_999);
    await spend();
    await plan('basic');
    await spend();
    expect(await quotaFrames()).toHaveLength(1);
    await setUsage(799_999);
    await spend();
    expect((await quotaFrames()).at(-1)).toEqual([80, 800_000, 1_000_000]);
    await plan('premium');
    await plan('basic');
    await setUsage(799_999);
    await spend();
    expect(await quotaFrames()).toHaveLength(2);
  });

  test('come with a plan whose limit is already used, because no request will follow', async () => {
    await plan('basic');
    await setUsage(8_500);
    await plan('free');
    expect(await quotaFrames()).toEqual([[80, 8_500, 10_000]]);
    await plan('basic');
    await plan('free');
    expect(await quotaFrames()).toHaveLength(1);
  });

  test('start again with each month, and notices of past months are deleted', async () => {
    await setUsage(7_999);
    await spend();
    await db.sql`update account.quota_notices set month = month - interval '1 month' where org_id = ${org.orgId}`;
    await db.sql`update account.usage set month = (month - interval '1 month')::date, month_used = 9000 where org_id = ${org.orgId}`;
    await spend();
    expect(await quotaFrames()).toHaveLength(1);
    await setUsage(7_999);
    await spend();
    expect(await quotaFrames()).toHaveLength(2);
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
    expect(await framesOfType('report')).toEqual([
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
    expect(await framesOfType('report')).toHaveLength(1);
    const [stored] = await db.sql`select verdict, note from arb.reports where report_id = ${id}`;
    expect(stored).toEqual({ verdict: 'upheld', note: 'you were right' });
  });

  test('is done by one of two operators who try at once', async () => {
    const id = await file();
    const results = await Promise.allSettled([review(id, 'upheld'), review(id, 'dismissed')]);
    expect(results.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await framesOfType('report')).toHaveLength(1);
  });

  test('fails for a second verdict, an unknown report, another word, or a note that is too long', async () => {
    const id = await file();
    await review(id, 'dismissed');
    const expectRejected = (call: Promise<unknown>, pattern: RegExp) =>
      expect(call).rejects.toMatchObject({ code: '22023', message: expect.stringMatching(pattern) });
    await expectRejected(review(id, 'upheld'), /already dismissed on 20/);
    await expectRejected(review('00000000-0000-4000-8000-000000000000', 'upheld'), /no report/);
    await expectRejected(review(null, 'upheld'), /no report/);
    const other = await file();
    for (const verdict of ['confirmed', '', null])
      await expectRejected(review(other, verdict), /"upheld" or "dismissed"/);
    await expectRejected(review(other, 'upheld', 'x'.repeat(2_001)), /2,000/);
    expect(await framesOfType('report')).toHaveLength(1);
  });

  test('is open to operators alone', async () => {
    for (const role of ['anon', 'authenticated', 'parallax_api', 'parallax_ingest', 'parallax_stream']) {
      const [row] = await db.sql<{ may: boolean }[]>`
        select has_function_privilege(${role}, 'arb.review_report(uuid, text, text)', 'execute') as may`;
      expect(row?.may, role).toBe(false);
    }
  });
});
