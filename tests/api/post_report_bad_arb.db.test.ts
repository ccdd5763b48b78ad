import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flush, good } from '../arb/fixture.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key('free');
  await flush(world.db.sql, 1, [{ at: '2026-11-20T11:57:30.000Z', opp: good(1) }]);
});
afterAll(() => world.close());

const url = () => `${world.api.base}/v2/report-bad-arb`;
const send = (body: string | undefined, headers: Record<string, string> = {}) =>
  fetch(url(), {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
const report = (body: unknown) => send(JSON.stringify(body));
const stored = async () => {
  const [row] = await world.db.sql`select * from arb.reports order by received_at desc limit 1`;
  return row;
};

describe('POST /v2/report-bad-arb', () => {
  test('stores a report with its organization, its key and the evidence of the opportunity', async () => {
    const [opp] = (await (await world.get('/v2/arbitrage', key)).json()).opportunities;
    const answer = await report({ opp_id: opp.id, reason: ' side is inverted ', seen_in: { app: 'mine' } });
    expect([answer.status, await answer.json()]).toEqual([202, { status: 'received' }]);
    expect(await stored()).toMatchObject({
      opp_id: opp.id,
      opportunity_id: opp.id.slice(4),
      reason: 'side is inverted',
      sport: null,
      extra_fields: { seen_in: { app: 'mine' } },
      org_id: expect.any(String),
      key_id: expect.any(String),
      evidence: {
        window: { opportunity_id: opp.id.slice(4) },
        states: [{ cost: 979900 }],
        pair: { title: 'Title 1' },
        gates: { parity_ok: true },
        outcomes: [{ key: 'home' }, { key: 'away' }],
      },
    });
  });

  test.each([['opp_id'], ['reason'], ['sport'], ['market'], ['detail']])(
    'accepts a report with %s only',
    async (field) => {
      expect((await report({ [field]: 'x' })).status).toBe(202);
      expect(await stored()).toMatchObject({ [field]: 'x' });
    },
  );

  test.each([
    ['no body', undefined],
    ['a blank body', '  '],
    ['an empty object', '{}'],
    ['blanks and nulls alone', '{"opp_id":null,"reason":"  ","detail":""}'],
    ['other fields alone', '{"note":"x"}'],
  ])('returns 400 report.empty for %s', async (_, body) => {
    const answer = await send(body);
    expect([answer.status, (await answer.json()).code]).toEqual([400, 'report.empty']);
    expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=\d+;t=\d+, "month";r=/);
  });

  test.each([
    ['a number for a text', '{"reason":5}', 'string_type', ['body', 'reason']],
    ['a list for the body', '[]', 'dict_type', ['body']],
    ['a text for the body', '"x"', 'dict_type', ['body']],
    ['a text that is too long', JSON.stringify({ opp_id: 'x'.repeat(201) }), 'string_too_long', ['body', 'opp_id']],
  ])('returns 422 for %s', async (_, body, type, loc) => {
    const answer = await send(body);
    const { detail } = await answer.json();
    expect([answer.status, detail[0].type, detail[0].loc]).toEqual([422, type, loc]);
  });

  test.each([
    ['not JSON', '{', 400, 'body.not_json'],
    ['text with NUL', '{"reason":"\\u0000"}', 400, 'body.bad_text'],
    ['text with a lone surrogate', '{"reason":"\\ud800"}', 400, 'body.bad_text'],
    ['too deep', '['.repeat(40) + ']'.repeat(40), 400, 'body.too_deep'],
    ['too long', `{"detail":"${'x'.repeat(70_000)}"}`, 413, 'body.too_large'],
  ])('rejects a body that is %s with %s', async (_, body, status, code) => {
    const answer = await send(body);
    expect([answer.status, (await answer.json()).code]).toEqual([status, code]);
  });

  test('stores a report without evidence for an unknown opp_id', async () => {
    for (const id of ['opp_00000000-0000-4000-8000-000000000000', 'nonsense', "'; drop table arb.reports; --"]) {
      expect((await report({ opp_id: id })).status).toBe(202);
      expect(await stored()).toMatchObject({ opp_id: id, opportunity_id: null, evidence: null });
    }
  });

  test('accepts or rejects every random JSON body without a 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 3 }), async (body) => {
        const { status } = await send(body);
        return [202, 400, 422, 429].includes(status);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the limit of reports that wait for review', () => {
  const ownKey = async () => {
    const own = await world.key('free');
    const [row] = await world.db.sql`select org_id from account.keys where hash = account.key_hash(${own})`;
    const file = (body: unknown) => send(JSON.stringify(body), { Authorization: `Bearer ${own}` });
    return { org: String(row?.org_id), file };
  };
  const waiting = async (org: string) =>
    (await world.db.sql`select from arb.reports where org_id = ${org} and verdict is null`).length;

  test('is exactly 100 for an organization under concurrent requests, and a verdict frees one', async () => {
    const { org, file } = await ownKey();
    await world.db.sql`insert into arb.reports (org_id, reason) select ${org}, 'x' from generate_series(1, 96)`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => file({ reason: 'x' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(202), ...Array(8).fill(409)]);
    const rejected = await file({ reason: 'x' });
    expect([rejected.status, (await rejected.json()).code]).toEqual([409, 'report.limit']);
    expect(rejected.headers.get('RateLimit')).toMatch(/^"window";r=587;/);
    expect(await waiting(org)).toBe(100);
    const [one] = await world.db.sql`select report_id from arb.reports where org_id = ${org} limit 1`;
    await world.db.sql`select arb.review_report(${one?.report_id}, 'dismissed')`;
    expect((await file({ reason: 'x' })).status).toBe(202);
    expect((await file({ reason: 'x' })).status).toBe(409);
    expect((await report({ reason: 'of another organization' })).status).toBe(202);
  });

  test('is 16 MiB for an organization, with evidence and additional fields', async () => {
    const { org, file } = await ownKey();
    const fill = (times: number) => world.db.sql`
      insert into arb.reports (org_id, reason, evidence)
      select ${org}, 'x', to_jsonb(array(select gen_random_uuid() from generate_series(1, 26000) where n > 0)) from generate_series(1, ${times}) n`;
    await fill(1);
    const [{ bytes } = { bytes: 0 }] = await world.db.sql<{ bytes: number }[]>`
      select pg_column_size(evidence) as bytes from arb.reports where org_id = ${org}`;
    expect(bytes).toBeGreaterThan(900_000);
    await fill(Math.ceil(16_777_216 / bytes) - 2);
    // Random text, which compression does not shrink.
    const noise = Array.from({ length: 1_500 }, () => crypto.randomUUID());
    expect((await file({ reason: 'x', noise })).status).toBe(202);
    await fill(1);
    const rejected = await file({ reason: 'x' });
    expect([rejected.status, (await rejected.json()).code]).toEqual([409, 'report.limit']);
  });
});

describe('access to reports', () => {
  test('returns 401 without a valid key, before errors of the body', async () => {
    const without = await fetch(url(), { method: 'POST', body: '{' });
    expect([without.status, (await without.json()).code]).toEqual([401, 'auth.missing_key']);
    const revoked = await world.key();
    await world.db
      .sql`update account.keys set revoked_at = clock_timestamp() where hash = account.key_hash(${revoked})`;
    const answer = await send('{', { Authorization: `Bearer ${revoked}` });
    expect([answer.status, (await answer.json()).code]).toEqual([401, 'auth.revoked_key']);
  });

  test('counts a report in the window only, and accepts it when the month is used', async () => {
    const own = await world.key('free');
    const auth = { Authorization: `Bearer ${own}` };
    const first = await send('{"reason":"x"}', auth);
    expect(first.headers.get('RateLimit')).toMatch(/^"window";r=599;t=\d+, "month";r=10000;t=\d+$/);
    await world.db
      .sql`update account.usage set month_used = 10000 where org_id = (select org_id from account.keys where hash = account.key_hash(${own}))`;
    expect((await send('{"reason":"x"}', auth)).status).toBe(202);
    await world.db
      .sql`update account.usage set window_began_at = clock_timestamp(), window_used = 600 where org_id = (select org_id from account.keys where hash = account.key_hash(${own}))`;
    const full = await send('{', auth);
    expect([full.status, (await full.json()).code]).toEqual([429, 'rate.window']);
  });

  test('allows an organization to read only its own reports', async () => {
    const reader = world.db.url('parallax_api');
    const { default: postgres } = await import('postgres');
    const sql = postgres(reader, { max: 1, onnotice: () => {} });
    try {
      const [mine] = await world.db.sql<{ org_id: string }[]>`select org_id from arb.reports limit 1`;
      const readable = (org: string) =>
        sql.begin(async (tx) => {
          await tx`select set_config('parallax.org', ${org}, true)`;
          return (await tx`select org_id from arb.reports`).map((row) => row.org_id as string);
        });
      expect(new Set(await readable(mine?.org_id ?? ''))).toEqual(new Set([mine?.org_id]));
      expect(await readable('00000000-0000-4000-8000-000000000000')).toEqual([]);
      expect(await sql`select org_id from arb.reports`).toEqual([]);
      await expect(sql`delete from arb.reports`).rejects.toThrow(/permission denied/);
    } finally {
      await sql.end();
    }
  });
});

test('GET /v2/report-bad-arb returns 405 with Allow', async () => {
  const answer = await fetch(url());
  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
});
