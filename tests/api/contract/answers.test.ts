import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { coverage } from '../../../functions/api/contract/coverage.ts';
import { categoryList, leagueList } from '../../../functions/api/contract/discovery.ts';
import { errorBody, rateError, unavailableError, validationError } from '../../../functions/api/contract/errors.ts';
import { GUIDE } from '../../../functions/api/contract/guide.ts';
import { health } from '../../../functions/api/contract/health.ts';
import { history } from '../../../functions/api/contract/history.ts';
import { market, marketList } from '../../../functions/api/contract/market.ts';
import { opportunityList } from '../../../functions/api/contract/opportunity.ts';
import { reportReceipt } from '../../../functions/api/contract/report.ts';
import { searchResult } from '../../../functions/api/contract/search.ts';
import { spreadList } from '../../../functions/api/contract/spreads.ts';
import { flush, good } from '../../arb/fixture.ts';
import { idOf, putFrame, putPair } from '../support/catalog.ts';
import { serveApi } from '../support/server.ts';
import { makeWorld, type World } from '../support/fixture.ts';

// The schemas are strict: a field that the API sends and nobody described fails here, as does one that is described and not sent.

let world: World;
let key: string;
beforeAll(async () => {
  world = await makeWorld();
  key = await world.key();
  const { sql } = world.db;
  await putPair(sql, {
    n: 30,
    market_type: 'crypto_above',
    category: 'crypto',
    sport: null,
    outcomes: [
      { key: 'low', relation: 'EXACT' },
      { key: 'mid', a: null, relation: 'OVERLAPS', span: ['1 to 2', '3 to 4'] },
      { key: 'high', a: null, relation: 'DERIVED' },
    ],
    ladder: ['1 or more', '2 or more'],
    risks: [
      ['settlement_time', 'high'],
      ['rounding', 'low'],
    ],
  });
  await putPair(sql, {
    n: 31,
    status: 'settled',
    result: {
      verdict: 'agree',
      venues_agree: true,
      void: false,
      winners: ['home'],
      settled_at: '2026-11-19T00:00:00Z',
    },
  });
  await sql`
    update catalog.pairs
    set omitted_outcomes = '{"left_out_a": [{"name": "Draw", "why": "no_twin"}], "poly_leg_coverage": 0.75, "uncovered_legs": ["4% or more"]}'
    where slug = 'pair-30'`;
  const at = '2026-11-20T11:57:00.000Z';
  const none = null;
  await putFrame(sql, 30, { at, ask_a: [400000, none, none], ask_b: [420000, 310000, none], ladder_a: [500000, none] });
  await flush(sql, 1, [{ at: '2026-11-20T11:57:30.000Z', opp: good(1) }]);
  await putFrame(sql, 10, {
    at,
    ask_a: [400000, 610000],
    ask_b: [420000, none],
    bid_a: [390000, none],
    size_a: [1250, none],
  });
});
afterAll(() => world.close());

async function holds(schema: z.ZodType, path: string, status = 200, asked = key) {
  const answer = await world.get(path, asked);
  const body: unknown = await answer.json();
  expect(answer.status, path).toBe(status);
  const read = schema.safeParse(body);
  expect(read.error?.issues ?? [], `${path}: ${JSON.stringify(body).slice(0, 600)}`).toEqual([]);
  return body;
}

describe('answers are what their schemas say', () => {
  test.each([
    '',
    '?market_type=all&include=ids,depth,settlement&status=open,live,resolving,closed,settled',
    '?market_type=all&include=depth&sort=-spread_pts&limit=2',
    '?signal=candidates&include=settlement',
    '?signal=spread&market_type=all',
    '?sport=nothing&category=nothing',
    '?status=settled&include=settlement',
  ])('/v2/markets%s', async (query) => {
    await holds(marketList, `/v2/markets${query}`);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 30, 31])('/v2/pairs of pair %i', async (n) => {
    await holds(market, `/v2/pairs/${idOf(n)}`);
    await holds(market, `/v2/pairs/${idOf(n)}?include=ids`);
  });

  test('the world reaches every optional part of a Market, or this test would prove little', async () => {
    const { markets } = marketList.parse(
      await holds(marketList, '/v2/markets?market_type=all&include=ids,depth,settlement&status=open,live,settled'),
    );
    const seen = new Set(
      markets.flatMap((row) => [...Object.keys(row), ...row.outcomes.flatMap((leg) => Object.keys(leg))]),
    );
    const parts = ['line', 'game_id', 'closes', 'venue_a_ladder', 'factors', 'venues', 'confidence', 'settlement'];
    const legs = ['relation', 'venue_a_span', 'venue_a_book', 'venue_b_book'];
    expect([...parts, ...legs].filter((part) => !seen.has(part))).toEqual([]);
    expect(markets.some((row) => row.result !== null)).toBe(true);
    expect(markets.some((row) => row.signal === 'arb')).toBe(true);
  });

  test('/v2/arbitrage, with windows and without', async () => {
    const { count } = opportunityList.parse(await holds(opportunityList, '/v2/arbitrage'));
    expect(count).toBeGreaterThan(0);
    await holds(opportunityList, '/v2/arbitrage?sport=nothing');
  });

  test('/v2/spreads, with rows and without', async () => {
    const { count } = spreadList.parse(await holds(spreadList, '/v2/spreads'));
    expect(count).toBeGreaterThan(0);
    await holds(spreadList, '/v2/spreads?min_gap=99&category=x&sport=x&competition=x&location=x&basis=x&institution=x');
  });

  test.each(['q=title', 'q=nothing%20at%20all', 'q=title&sport=hockey&category=sports&page=2&page_size=1'])(
    '/v2/search?%s',
    async (query) => {
      await holds(searchResult, `/v2/search?${query}`);
    },
  );

  test('/v2/pairs/{market_id}/history, with points and without', async () => {
    const { sql } = world.db;
    await sql`select pipeline.refresh_snapshot()`;
    await sql`select price.sample_history(2000)`;
    const { series } = history.parse(await holds(history, `/v2/pairs/${idOf(1)}/history`));
    expect(series.some((one) => one.points.length > 0)).toBe(true);
    await holds(history, `/v2/pairs/${idOf(4)}/history?from=2026-11-20&to=2026-11-21`);
    await holds(errorBody, `/v2/pairs/${idOf(999)}/history`, 404);
  });

  test('/v2/coverage, before the first census and after it', async () => {
    const { sql } = world.db;
    await holds(coverage, '/v2/coverage');
    await sql`select venue.upsert_series('venue_a', ${sql.json([{ series_id: 'KXS', payload: {} }])})`;
    await sql`select census.rebuild()`;
    const { series } = coverage.parse(await holds(coverage, '/v2/coverage'));
    expect(series.length).toBeGreaterThan(0);
  });

  test('/v2/categories and /v2/leagues', async () => {
    const { categories } = categoryList.parse(await holds(categoryList, '/v2/categories'));
    expect(categories.length).toBeGreaterThan(1);
    await holds(leagueList, '/v2/leagues');
  });

  test('/v2/report-bad-arb, received and refused', async () => {
    const report = async (body: object) => {
      const answer = await fetch(`${world.api.base}/v2/report-bad-arb`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
      return [answer.status, await answer.json()] as const;
    };
    const [status, thanks] = await report({ reason: 'a test' });
    expect([status, reportReceipt.safeParse(thanks).error]).toEqual([202, undefined]);
    const [empty, refused] = await report({ reason: ' ' });
    expect([empty, errorBody.safeParse(refused).error]).toEqual([400, undefined]);
    const [invalid, faults] = await report({ reason: 1 });
    expect([invalid, validationError.safeParse(faults).error]).toEqual([422, undefined]);
  });

  test('/health', async () => {
    await holds(health, '/health');
  });
});

test('the limits that the guide names are those that admission counts by', async () => {
  const tiers = await world.db.sql<{ tier: string; window_requests: number; month_requests: number }[]>`
    select tier, window_requests, month_requests from account.tiers`;
  expect(tiers).toHaveLength(4);
  const words = (count: number) => count.toLocaleString('en-US');
  for (const { tier, window_requests, month_requests } of tiers) {
    const name = tier[0]?.toUpperCase() + tier.slice(1);
    expect(GUIDE).toContain(`**${name}**: ${words(window_requests)} per window, ${words(month_requests)} per month`);
  }
});

describe('errors are what their schemas say', () => {
  test('401 and 404', async () => {
    await holds(errorBody, '/v2/markets', 401, 'sk_live_nothing');
    await holds(errorBody, `/v2/pairs/${idOf(999)}`, 404);
    await holds(errorBody, '/nowhere', 404);
  });
  test.each(['limit=0', 'limit=x', 'status=no', 'signal=arb', 'page=2&cursor=x', 'has_history=maybe', 'sort=1&sort=2'])(
    '422 for %s',
    async (query) => {
      await holds(validationError, `/v2/markets?${query}`, 422);
    },
  );
  test('429 by the window and by the month', async () => {
    for (const set of [
      'window_began_at = clock_timestamp(), window_used = 600',
      'window_used = 0, month_used = 10000',
    ]) {
      const spent = await world.key('free');
      await world.db.sql.unsafe(
        `update account.usage set ${set} where org_id = (select org_id from account.keys where hash = account.key_hash('${spent}'))`,
      );
      await holds(rateError, '/v2/markets', 429, spent);
    }
  });
  test('503', async () => {
    const api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
    try {
      const answer = await fetch(`${api.base}/v2/markets`, { headers: { Authorization: `Bearer ${key}` } });
      expect(unavailableError.safeParse(await answer.json()).error).toBeUndefined();
    } finally {
      await api.close();
    }
  });
});
