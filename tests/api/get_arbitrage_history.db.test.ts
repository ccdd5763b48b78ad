import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flush, good, opportunity } from '../arb/fixture.ts';
import { idOf, putPair, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { anyQueryValue } from './support/hostile.ts';
import { expectValidationError } from './support/validation_error.ts';

const at = (time: string) => `2026-11-20T${time}.000Z`;
/** An edge of 2.01, 3.01 … by its ask. */
const withAsk = (n: number, ask: number, size = 12_000) =>
  opportunity(
    n,
    [
      { key: 'home', venue: 'venue_a', ask, fee: 17_400 },
      { key: 'away', venue: 'venue_b', ask: 500_000, fee: 12_500 },
    ],
    size,
  );
const closed = (time: string, ask = 470_000) => ({ at: at(time), opp: null, ask });

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key('free');
  const { sql } = world.db;
  for (const n of [21, 22, 30, 31]) await putPair(sql, { n, confirmed: true });
  await putPair(sql, { n: 25, confirmed: true, market_type: 'total', line: 1.5 });
  await flush(sql, 21, [
    { at: at('11:50:00'), opp: good(21) },
    { at: at('11:50:10'), opp: withAsk(21, 440_000, 8_000), ask: 440_000 },
    { at: at('11:50:20'), opp: withAsk(21, 445_000, 20_000), ask: 445_000 },
    closed('11:50:30'),
  ]);
  await flush(sql, 22, [{ at: at('11:51:00'), opp: good(22) }, closed('11:52:00')]);
  await flush(sql, 25, [
    { at: at('11:53:00'), opp: withAsk(25, 420_000), ask: 420_000 },
    { at: at('11:53:30'), opp: { refused: 'book.gap', about: 'KX-25-home', since: null }, ask: 421_000 },
  ]);
  // A guard finds that the book was invalid when the second one opened: retracted.
  await flush(sql, 30, [
    { at: at('11:54:00'), opp: good(30) },
    closed('11:54:10'),
    { at: at('11:54:30'), opp: good(30) },
  ]);
  await flush(sql, 30, [
    {
      at: at('11:55:00'),
      opp: { refused: 'feed.silent', about: 'x', since: Date.parse(at('11:54:20')) },
      ask: 460_000,
    },
  ]);
  // Open at the snapshot of 11:58:00, and closed since.
  await flush(sql, 31, [{ at: at('11:57:00'), opp: good(31) }, closed('11:58:01')]);
  await world.clock.set('2026-11-20T12:00:00.000Z');
  await sql`update price.snapshot_state set step = '2026-11-20T11:57:55Z'`;
});
afterAll(() => world.close());

const ask = async (query = '') => {
  const answer = await world.get(`/v2/arbitrage/history?${query}`, key);
  return { answer, body: await answer.json() };
};
const numbers = (rows: { market_id: string }[]) => rows.map((row) => Number.parseInt(row.market_id.slice(-4), 16));

test('GET /v2/arbitrage/history returns what closed up to the snapshot, the last closed first', async () => {
  const { answer, body } = await ask();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('X-As-Of')).toBe('2026-11-20T11:58:00.000Z');
  expect(body).toMatchObject({
    ...{ count: 4, has_more: false, next_cursor: null },
    ...{ snapshot_at: '2026-11-20T11:58:00.000Z', delay_seconds: 120 },
  });
  expect(numbers(body.opportunities)).toEqual([30, 25, 22, 21]);
  expect(body.opportunities[3]).toEqual({
    id: expect.stringMatching(/^opp_[0-9a-f-]{36}$/),
    market_id: idOf(21),
    title: 'Title 21',
    ...{ category: 'sports', market_type: 'moneyline', sport: 'basketball', competition: 'NBA' },
    opened_at: at('11:50:00'),
    closed_at: at('11:50:30'),
    close_reason: 'edge.gone',
    peak_edge_pct: 3.01,
    opening: { at: at('11:50:00'), contracts: 120, edge_pct: 2.01, cost_usd: 117.588, profit_usd: 2.412 },
    peak: { at: at('11:50:10'), contracts: 80, edge_pct: 3.01, cost_usd: 77.592, profit_usd: 2.408 },
    states: 3,
    samples: [
      { at: at('11:50:00'), contracts: 120, edge_pct: 2.01 },
      { at: at('11:50:10'), contracts: 80, edge_pct: 3.01 },
      { at: at('11:50:20'), contracts: 200, edge_pct: 2.51 },
    ],
    market_withdrawn: false,
  });
  expect(body.opportunities[1]).toMatchObject({ close_reason: 'book.gap', peak_edge_pct: 5.01 });
});

test('has no retracted opportunity, and the other one of its market', async () => {
  const [retracted] = await world.db
    .sql`select count(*)::integer as n from arb.opportunities where retracted_at is not null`;
  expect(retracted).toEqual({ n: 1 });
  const { body } = await ask(`market_id=${idOf(30)}`);
  expect(body.opportunities).toMatchObject([{ opened_at: at('11:54:00'), closed_at: at('11:54:10') }]);
});

test.each([
  ['sport=BASKETBALL', [30, 25, 22, 21]],
  ['sport=hockey', []],
  ['category=sports&competition=nba&market_type=moneyline', [30, 22, 21]],
  ['market_type=all', [30, 25, 22, 21]],
  ['market_type=total&reason=edge.gone', []],
  ['reason=Book.Gap', [25]],
  ['reason=nothing', []],
  [`market_id=${uuidOf(22)}`, [22]],
  ['min_edge=3.01', [25, 21]],
  // Half of the smallest step above the edge of 21 rounds to none.
  ['min_edge=3.01005', [25]],
  ['min_edge=3.0101', [25]],
  [`since=${at('11:52:00')}`, [30, 25, 22]],
  [`until=${at('11:52:00')}`, [22, 21]],
  [`since=${Date.parse(at('11:52:00')) + 1}`, [30, 25]],
  [`since=${at('11:52:00')}&until=${at('11:53:30')}&sport=basketball`, [25, 22]],
])('GET /v2/arbitrage/history?%s filters', async (query, expected) => {
  expect(numbers((await ask(query)).body.opportunities)).toEqual(expected);
});

test('pages by cursor, without a row lost or repeated, also where rows closed at the same time', async () => {
  const { sql } = world.db;
  await sql`
    insert into arb.history (opportunity_id, group_id, pair_id, closed_at, peak_cost, fields)
    select gen_random_uuid(), h.group_id, ${uuidOf(77)}, h.closed_at, h.peak_cost, h.fields
    from arb.history h
    cross join generate_series(1, 3)`;
  try {
    const seen: string[] = [];
    const pages: number[] = [];
    let cursor = '';
    do {
      const { body } = await ask(`market_id=${idOf(77)}&limit=5${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.opportunities.map((one: { closed_at: string }) => one.closed_at));
      pages.push(body.count);
      expect(body.has_more).toBe(body.next_cursor !== null);
      cursor = body.next_cursor ?? '';
    } while (cursor);
    expect(pages).toEqual([5, 5, 2]);
    expect(seen).toEqual([...seen].sort().reverse());
  } finally {
    await sql`delete from arb.history where pair_id = ${uuidOf(77)}`;
  }
});

test('market_withdrawn is true when the market was withdrawn afterwards, and the row stays', async () => {
  const { sql } = world.db;
  await sql`update catalog.pairs set withdrawn_at = '2026-11-20T11:59:00Z' where title = 'Title 22'`;
  try {
    const { body } = await ask(`market_id=${idOf(22)}&limit=7`);
    expect(body.opportunities).toMatchObject([{ market_withdrawn: true }]);
  } finally {
    await sql`update catalog.pairs set withdrawn_at = null where title = 'Title 22'`;
  }
});

test('a row that closed after the snapshot, because the clock was set back since, is not listed', async () => {
  const { sql } = world.db;
  await sql`
    insert into arb.history (opportunity_id, group_id, pair_id, closed_at, peak_cost, fields)
    select gen_random_uuid(), h.group_id, ${uuidOf(78)}, ${at('11:58:00')}::timestamptz + t, h.peak_cost, h.fields
    from arb.history h
    cross join unnest(array['0 s', '1 ms']::interval[]) t
    where h.pair_id = ${uuidOf(21)}`;
  try {
    expect((await ask(`market_id=${idOf(78)}`)).body.count).toBe(1);
  } finally {
    await sql`delete from arb.history where pair_id = ${uuidOf(78)}`;
  }
});

describe('an invalid request for /v2/arbitrage/history', () => {
  test.each<[string, string, string, Record<string, unknown>]>([
    ['limit=0', 'greater_than_equal', 'limit', { ge: 1 }],
    ['limit=501', 'less_than_equal', 'limit', { le: 500 }],
    ['min_edge=-0.1', 'greater_than_equal', 'min_edge', { ge: 0 }],
    ['since=yesterday', 'datetime_parsing', 'since', { error: 'epoch milliseconds or ISO 8601' }],
    ['until=2026-02-31', 'datetime_parsing', 'until', { error: 'epoch milliseconds or ISO 8601' }],
    ['since=2026-11-20&until=2026-11-19', 'value_error', 'since', {}],
    ['market_id=mkt_1', 'uuid_parsing', 'market_id', {}],
    ['reason=a&reason=b', 'value_error', 'reason', {}],
    ['cursor=x', 'value_error', 'cursor', {}],
    [`cursor=${'x'.repeat(401)}`, 'string_too_long', 'cursor', { max_length: 400 }],
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    await expectValidationError(world, key, `/v2/arbitrage/history?${query}`, { type, name, ctx });
  });

  test('returns 422 for the cursor of other filters', async () => {
    const { body } = await ask('limit=1');
    expect(body.next_cursor).toEqual(expect.any(String));
    expect((await ask(`limit=1&cursor=${body.next_cursor}`)).answer.status).toBe(200);
    const { answer, body: refused } = await ask(`limit=1&sport=basketball&cursor=${body.next_cursor}`);
    expect([answer.status, refused.detail[0].loc]).toEqual([422, ['query', 'cursor']]);
  });

  test('never returns 500 for random query values', async () => {
    const names = [
      'since',
      'until',
      'market_id',
      'sport',
      'category',
      'market_type',
      'min_edge',
      'reason',
      'limit',
      'cursor',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), anyQueryValue, async (name, value) => {
        const answer = await world.get(`/v2/arbitrage/history?${name}=${value}`, key);
        await answer.arrayBuffer();
        expect([200, 422]).toContain(answer.status);
      }),
      { numRuns: 60 },
    );
  });
});
