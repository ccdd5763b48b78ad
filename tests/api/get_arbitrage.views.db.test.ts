import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flush, opportunity } from '../arb/fixture.ts';
import { listMarket } from '../arb/track_record_fixture.ts';
import { idOf, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { anyQueryValue } from './support/hostile.ts';
import { expectValidationError } from './support/validation_error.ts';

// Four opportunities: pair 1 with an edge of 2.01 on 120 contracts, 2 with 3.018 on 40, 5 with 1.5
// on 500 (a total), and 10 with 2.5 on 100.
const edges: [n: number, ask: number, size: number][] = [
  [1, 450_000, 12_000],
  [2, 439_920, 4_000],
  [5, 455_100, 50_000],
  [10, 445_100, 10_000],
];

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key('free');
  const { sql } = world.db;
  for (const [n, ask, size] of edges) {
    const legs = [
      { key: 'home', venue: 'venue_a' as const, ask, fee: 17_400 },
      { key: 'away', venue: 'venue_b' as const, ask: 500_000, fee: 12_500 },
    ];
    await flush(sql, n, [{ at: '2026-11-20T11:57:30.000Z', opp: opportunity(n, legs, size) }]);
    await listMarket(sql, 'venue_a', `KX-${n}-home`, [`KX-${n}-home`]);
    await listMarket(sql, 'venue_b', `0x${n}`, [`${n}000`, `${n}001`]);
  }
  const tapered = [
    { start: '0.0000', end: '0.1000', step: '0.0010' },
    { start: '0.1000', end: '0.9000', step: '0.0100' },
    { start: '0.9000', end: '1.0000', step: '0.0010' },
  ];
  await sql`update venue.markets set min_order = 0.01, tick_sizes = ${sql.json(tapered)} where venue = 'venue_a'`;
  await sql`
    update venue.markets set min_order = 5, tick_sizes = ${sql.json([{ start: '0', end: '1', step: '0.001' }])}
    where venue = 'venue_b'`;
  // Pair 1 settles last, 10 first. The close of venue_a counts where it states no expiration only.
  await sql`
    update venue.markets set expected_at = '2026-11-23T00:00:00Z', close_at = '2026-12-05T00:00:00Z'
    where venue = 'venue_a'`;
  await sql`update venue.markets set close_at = '2026-11-30T12:00:00Z' where market_id = '0x1'`;
  await sql`update catalog.pairs set closes_b = '2026-11-21T00:00:00Z' where title = 'Title 10'`;
  await sql`update venue.markets set expected_at = null, close_at = '2026-11-21T04:00:00Z' where market_id = 'KX-10-home'`;
});
afterAll(() => world.close());

const ask = async (query: string) => {
  const answer = await world.get(`/v2/arbitrage?${query}`, key);
  expect(answer.status).toBe(200);
  return (await answer.json()).opportunities;
};
const numbers = (rows: { market_id: string }[]) => rows.map((row) => Number.parseInt(row.market_id.slice(-4), 16));

test('an opportunity states its profit, its expected settlement and the annualized edge', async () => {
  const row = (await ask(`market_id=${idOf(1)}`))[0];
  expect(row.profit_usd).toBe(2.412);
  expect(row.profit_usd).toBeCloseTo(row.max_contracts - row.max_wager_usd, 10);
  expect(row.expected_settlement_at).toBe('2026-11-30T12:00:00.000Z');
  const seconds = (Date.parse('2026-11-30T12:00:00Z') - Date.parse('2026-11-20T11:58:00Z')) / 1000;
  expect(row.annualized_pct).toBe(Math.round(((2.01 * 31_536_000) / seconds) * 100) / 100);
});

test('annualized_pct is null where the expected settlement is unknown or past', async () => {
  const { sql } = world.db;
  const before =
    await sql`select market_id, expected_at, close_at from venue.markets where market_id in ('KX-2-home', '0x2')`;
  const set = (at: string | null) =>
    sql.begin(async (tx) => {
      await tx`update venue.markets set expected_at = ${at}, close_at = ${at} where market_id in ('KX-2-home', '0x2')`;
      await tx`update catalog.pairs set closes_a = ${at}, closes_b = ${at} where title = 'Title 2'`;
    });
  const read = async () => (await ask(`market_id=${idOf(2)}&limit=${++rows}`))[0];
  let rows = 10;
  await set(null);
  expect(await read()).toMatchObject({ expected_settlement_at: null, annualized_pct: null });
  await set('2026-11-20T11:58:00Z');
  expect(await read()).toMatchObject({ expected_settlement_at: '2026-11-20T11:58:00.000Z', annualized_pct: null });
  for (const { market_id, expected_at, close_at } of before)
    await sql`update venue.markets set expected_at = ${expected_at}, close_at = ${close_at} where market_id = ${market_id}`;
  await sql`update catalog.pairs set closes_a = '2026-11-22Z', closes_b = '2026-11-22T06:00:00Z' where title = 'Title 2'`;
});

test('each leg states the smallest order and the tick of its contract at its ask', async () => {
  const [row] = await ask(`market_id=${uuidOf(1)}&limit=3`);
  expect(row.legs).toMatchObject([
    { venue: 'venue_a', min_order: 0.01, tick: 0.01 },
    { venue: 'venue_b', min_order: 5, tick: 0.001 },
  ]);
});

test.each([
  ['yes', 99_000, 0.001],
  ['yes', 100_000, 0.01],
  ['yes', 899_000, 0.01],
  ['yes', 900_000, 0.001],
  ['no', 99_000, 0.001],
  ['no', 100_000, 0.01],
  ['no', 900_000, 0.001],
  ['no', 901_000, 0.001],
])('the tick of %s at %i is that of its range of YES prices', async (side, price, tick) => {
  const { sql } = world.db;
  const legs = [{ venue: 'venue_a', side, contract: 'KX-1-home', ask: price }];
  const rows = await sql<{ leg_fields: string[] }[]>`
    select t.leg_fields
    from arb.opportunity_states s
    join arb.opportunities o using (opportunity_id)
    cross join lateral arb.list_venue_terms(
      array[jsonb_populate_record(s, jsonb_build_object('legs', ${sql.json(legs)}::jsonb))]
    ) t
    where o.pair_id = ${uuidOf(1)}`;
  expect(JSON.parse(`{${rows[0]?.leg_fields[0]}}`)).toEqual({ min_order: 0.01, tick });
});

test.each([
  ['', [2, 10, 1, 5]],
  ['sort=-edge_pct', [2, 10, 1, 5]],
  ['sort=-profit_usd', [5, 10, 1, 2]],
  ['sort=-PROFIT_USD&limit=2', [5, 10]],
  ['sort=expected_settlement_at', [10, 2, 5, 1]],
  ['sort=-annualized_pct', [10, 2, 5, 1]],
  ['sort=-annualized_pct&limit=1', [10]],
  ['min_edge=2.01', [2, 10, 1]],
  ['min_edge=2.0101', [2, 10]],
  ['min_edge=100', []],
  ['min_profit_usd=2.412', [10, 1, 5]],
  ['min_profit_usd=2.4121', [10, 5]],
  ['starts_after=2026-11-21T03:00:00Z', [10]],
  ['starts_before=2026-11-21T03:00:00Z', [2, 1, 5]],
  ['starts_after=2026-11-21&starts_before=2026-11-21T01:00:00.001Z', [2, 1, 5]],
  ['market_type=total', [5]],
  ['market_type=total,moneyline', [2, 10, 1, 5]],
  ['market_type=all', [2, 10, 1, 5]],
  ['market_type=outright', []],
  ['category=SPORTS&competition=nba', [2, 10, 1, 5]],
  ['category=weather', []],
  ['competition=NHL', []],
  [`market_id=${idOf(10)}`, [10]],
  [`market_id=${idOf(77)}`, []],
  ['min_edge=2&sort=-profit_usd&limit=1', [10]],
])('GET /v2/arbitrage?%s returns its rows in its order', async (query, expected) => {
  expect(numbers(await ask(query))).toEqual(expected);
});

test('include adds the settlement and the books of the market as /v2/markets has them', async () => {
  const [row] = await ask('include=settlement,books&sport=basketball&min_edge=3');
  const { markets } = await (await world.get('/v2/markets?include=settlement,depth&status=open,live', key)).json();
  const market = markets.find((one: { id: string }) => one.id === row.market_id);
  expect(market.outcomes).not.toEqual([]);
  expect(row.settlement).toEqual(market.settlement);
  expect(row.outcomes).toEqual(market.outcomes);
  expect(Object.keys((await ask('include=books'))[0])).not.toContain('settlement');
  expect(Object.keys((await ask('include=settlement'))[0])).not.toContain('outcomes');
});

test('the frames of the stream have none of the fields that only REST has', async () => {
  const [frame] = await world.db.sql<{ body: { opportunity: { legs: object[] } } }[]>`
    select f::jsonb as body
    from stream.publications p
    cross join unnest(p.frames) f
    where f like '{"type":"opportunity"%'
    limit 1`;
  const names = [...Object.keys(frame?.body.opportunity ?? {}), ...Object.keys(frame?.body.opportunity.legs[0] ?? {})];
  expect(names).toContain('edge_pct');
  for (const name of ['profit_usd', 'expected_settlement_at', 'annualized_pct', 'min_order', 'tick'])
    expect(names).not.toContain(name);
});

describe('an invalid request', () => {
  test.each<[string, string, string, Record<string, unknown>]>([
    ['min_edge=-1', 'greater_than_equal', 'min_edge', { ge: 0 }],
    ['min_edge=101', 'less_than_equal', 'min_edge', { le: 100 }],
    ['min_edge=a', 'float_parsing', 'min_edge', {}],
    ['starts_before=tonight', 'datetime_parsing', 'starts_before', { error: 'epoch milliseconds or ISO 8601' }],
    ['starts_after=2&starts_before=1', 'value_error', 'starts_after', {}],
    ['min_profit_usd=1e3', 'float_parsing', 'min_profit_usd', {}],
    ['min_profit_usd=2000000000', 'less_than_equal', 'min_profit_usd', { le: 1_000_000_000 }],
    ['market_id=x', 'uuid_parsing', 'market_id', {}],
    ['market_id=', 'uuid_parsing', 'market_id', {}],
    [`category=${'x'.repeat(201)}`, 'string_too_long', 'category', { max_length: 200 }],
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    await expectValidationError(world, key, `/v2/arbitrage?${query}`, { type, name, ctx });
  });

  test.each(['sort=edge_pct', 'include=depth', 'market_type=nfl', 'sort='])(
    'returns 422 with the allowed values for %s',
    async (query) => {
      const answer = await world.get(`/v2/arbitrage?${query}`, key);
      const { detail } = await answer.json();
      expect([answer.status, detail[0].type, detail[0].loc[1]]).toEqual([422, 'enum', query.split('=')[0]]);
      expect(detail[0].ctx).toHaveProperty('expected');
    },
  );

  test('never returns 500 for random query values', async () => {
    const names = [
      'min_edge',
      'min_profit_usd',
      'starts_after',
      'market_type',
      'category',
      'competition',
      'market_id',
      'sort',
      'include',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), anyQueryValue, async (name, value) => {
        const answer = await world.get(`/v2/arbitrage?${name}=${value}`, key);
        await answer.arrayBuffer();
        expect([200, 422]).toContain(answer.status);
      }),
      { numRuns: 60 },
    );
  });
});
