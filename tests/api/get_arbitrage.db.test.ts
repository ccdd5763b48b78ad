import { afterAll, beforeAll, expect, test } from 'vitest';
import { flush, good, opportunity } from '../arb/fixture.ts';
import { idOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

const risks = [
  { event: 'cancel_payout', severity: 'medium', note: 'kept inside' },
  { event: 'early_close', severity: 'low', note: 'both pay the same, later' },
  { event: 'void_rule', severity: 'medium', note: 'If the game is never played, a $1 pair can lose up to 50 cents.' },
];

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key('free');
  await world.db
    .sql`update catalog.assessments set risks = ${world.db.sql.json(risks)} where assessment_id = 'assessment 2'`;
  const at = '2026-11-20T11:57:30.000Z';
  await flush(world.db.sql, 1, [{ at, opp: good(1) }]);
  await flush(world.db.sql, 2, [
    {
      at,
      opp: opportunity(2, [
        { key: 'home', venue: 'venue_b', ask: 440_000, fee: 12_320 },
        { key: 'away', venue: 'venue_a', ask: 500_000, fee: 17_500 },
      ]),
    },
  ]);
  // Gate 2 is closed: the books have an opportunity, but it must not be served.
  await flush(world.db.sql, 3, [{ at, opp: good(3) }]);
  // One millisecond after the snapshot.
  await flush(world.db.sql, 10, [{ at: '2026-11-20T11:58:00.001Z', opp: good(10) }]);
});
afterAll(() => world.close());

const ask = async (query = '') => {
  const answer = await world.get(`/v2/arbitrage${query}`, key);
  return { answer, body: await answer.json() };
};

test('GET /v2/arbitrage returns the opportunities that were open at the snapshot, largest edge first', async () => {
  const { answer, body } = await ask();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('X-As-Of')).toBe('2026-11-20T11:58:00.000Z');
  expect(body).toMatchObject({ as_of: '2026-11-20T11:57:30.000Z', delay_seconds: 120, count: 2 });
  expect(body.opportunities.map((o: { market_id: string }) => o.market_id)).toEqual([idOf(2), idOf(1)]);
  expect(body.opportunities[1]).toEqual({
    id: expect.stringMatching(/^opp_[0-9a-f-]{36}$/),
    market_id: idOf(1),
    title: 'Title 1',
    category: 'sports',
    market_type: 'moneyline',
    sport: 'basketball',
    competition: 'NBA',
    location: null,
    asset: null,
    indicator: null,
    basis: null,
    institution: null,
    tags: ['tag'],
    start_time: '2026-11-21T01:00:00.000Z',
    edge_pct: 2.01,
    roi_pct: 2.0512,
    fees_included: true,
    fee_model: 'conservative_per_contract',
    cost_per_payout_usd: 0.9799,
    max_contracts: 120,
    max_wager_usd: 117.588,
    confidence: 0.97,
    detected_at: '2026-11-20T11:57:30.000Z',
    priced_at: '2026-11-20T11:57:30.000Z',
    legs: [
      {
        outcome: 'home',
        outcome_name: 'HOME',
        venue: 'venue_a',
        side: 'yes',
        ask_usd: 0.45,
        fee_usd: 0.0174,
        stake_fraction: 0.476987,
        available_contracts: 120,
        contract_id: 'KX-1-home',
        contract_label: null,
        instruction: 'Buy YES on KX-1-home. Pays $1 if HOME wins',
        url: 'https://venue-a.example/1',
        min_order: null,
        tick: null,
      },
      {
        outcome: 'away',
        outcome_name: 'AWAY',
        venue: 'venue_b',
        side: null,
        ask_usd: 0.5,
        fee_usd: 0.0125,
        stake_fraction: 0.523013,
        available_contracts: 123,
        match_delay_ms: 3000,
        match_delay_seconds: 3,
        contract_id: '1001',
        contract_label: null,
        instruction: 'Buy token 1001. Pays $1 if AWAY wins',
        url: null,
        min_order: null,
        tick: null,
      },
    ],
    ladder: [{ contracts: 120, cost_usd: 117.588, edge_pct: 2.01 }],
    risks: [],
    rule: { agreeing: 400, diverging: 0, bound_pct: 0.7461 },
    edge_after_bound_pct: 1.2639,
    weakest_link:
      'No difference between the two texts is known; 0 of 400 settled occasions of this rule diverged, so at most 0.7461 % do by its bound.',
    profit_usd: 2.412,
    // Without the markets of its contracts, the close times of the pair.
    expected_settlement_at: '2026-11-22T06:00:00.000Z',
    // 42 h 2 min after the snapshot.
    annualized_pct: 418.9,
  });
});

test('each opportunity has the risks of its market, worst first, and its weakest link with the cost', async () => {
  const [row] = (await ask()).body.opportunities;
  expect(row.market_id).toBe(idOf(2));
  expect(row.risks).toEqual([risks[2], risks[1]]);
  expect(row.weakest_link).toBe(`Medium risk: ${risks[2]?.note}`);
});

test.each([
  [0, 0, 1, { agreeing: 0, diverging: 0, bound_pct: 100 }, -97.99],
  [2563, 1, 0.001849, { agreeing: 2563, diverging: 1, bound_pct: 0.1849 }, 1.8251],
  [299, 0, 0.009969, { agreeing: 299, diverging: 0, bound_pct: 0.9969 }, 1.0131],
])(
  'edge_after_bound_pct is exact for %i agreeing and %i diverging occasions',
  async (agreeing, diverging, bound, rule, left) => {
    const { sql } = world.db;
    const set = (a: number, d: number, b: number) =>
      sql`update catalog.rules set record_agreeing = ${a}, record_diverging = ${d}, record_bound = ${b} where rule_id = 'rule confirmed'`;
    await set(agreeing, diverging, bound);
    try {
      const rows = await sql<{ json: string }[]>`
      select arb.opportunity_json(p, w.opportunity_id, w.opened_at, s) as json
      from arb.opportunities w join arb.opportunity_states s using (opportunity_id) join catalog.pairs p on p.pair_id = w.pair_id
      where p.title = 'Title 1'`;
      expect(JSON.parse(rows[0]?.json ?? '')).toMatchObject({ rule, edge_pct: 2.01, edge_after_bound_pct: left });
    } finally {
      await set(400, 0, 0.007461);
    }
  },
);

test('cost, edge, wager and fractions of every opportunity can be computed from its legs', async () => {
  const { body } = await ask();
  for (const row of body.opportunities) {
    const micro = (usd: number) => Math.round(usd * 1e6);
    const cost = row.legs.reduce(
      (sum: number, leg: { ask_usd: number; fee_usd: number }) => sum + micro(leg.ask_usd) + micro(leg.fee_usd),
      0,
    );
    expect(micro(row.cost_per_payout_usd)).toBe(cost);
    expect(row.edge_pct).toBeCloseTo((1e6 - cost) / 1e4, 10);
    expect(micro(row.max_wager_usd)).toBe(Math.ceil(cost * row.max_contracts));
    expect(row.roi_pct).toBe(Math.trunc(((row.max_contracts - row.max_wager_usd) / row.max_wager_usd) * 1e6) / 1e4);
    expect(row.legs.reduce((sum: number, leg: { stake_fraction: number }) => sum + micro(leg.stake_fraction), 0)).toBe(
      1e6,
    );
    expect(new Set(row.legs.map((leg: { venue: string }) => leg.venue)).size).toBe(2);
  }
});

test('GET /v2/arbitrage filters by sport and limits the rows', async () => {
  expect((await ask('?limit=1')).body).toMatchObject({ count: 1, opportunities: [{ market_id: idOf(2) }] });
  expect((await ask('?sport=basketball')).body.count).toBe(2);
  expect((await ask('?sport=curling')).body).toEqual({ as_of: null, delay_seconds: 120, count: 0, opportunities: [] });
});

test.each([
  ['limit=0', 'greater_than_equal'],
  ['limit=501', 'less_than_equal'],
  ['limit=ten', 'int_parsing'],
  ['limit=', 'int_parsing'],
])('GET /v2/arbitrage?%s returns 422 %s', async (query, type) => {
  const { answer, body } = await ask(`?${query}`);
  expect([answer.status, body.detail[0].type, body.detail[0].loc]).toEqual([422, type, ['query', 'limit']]);
});

test('an opportunity whose pair is no longer valid is omitted at the next step, and the reason is stored', async () => {
  await world.db.sql`update catalog.pairs set status = 'resolving' where title = 'Title 2'`;
  await world.clock.set('2026-11-20T12:00:05Z');
  const { body } = await ask();
  // The opportunity of title 10 opened one millisecond after the previous snapshot.
  expect(body.opportunities.map((o: { market_id: string }) => o.market_id).sort()).toEqual([idOf(1), idOf(10)]);
  const kept = await world.db.sql`select stage, reason from arb.rejections where stage = 'serving'`;
  expect(kept).toEqual([{ stage: 'serving', reason: 'pair.resolving' }]);
  // The step closed the opportunity for the same reason.
  const closed = await world.db.sql`select close_reason from arb.opportunities where closed_at < 'infinity'`;
  expect(closed).toEqual([{ close_reason: 'pair.resolving' }]);
});
