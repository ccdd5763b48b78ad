import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { coverage } from '../../../functions/api/contract/coverage.ts';
import { categoryList, leagueList } from '../../../functions/api/contract/discovery.ts';
import { errorBody, rateError, unavailableError, validationError } from '../../../functions/api/contract/errors.ts';
import { GUIDE } from '../../../functions/api/contract/guide.ts';
import { health } from '../../../functions/api/contract/health.ts';
import { history } from '../../../functions/api/contract/history.ts';
import { lookup } from '../../../functions/api/contract/lookup.ts';
import { market, marketList, sample } from '../../../functions/api/contract/market.ts';
import { opportunityList } from '../../../functions/api/contract/opportunity.ts';
import { pastOpportunityList } from '../../../functions/api/contract/past_opportunity.ts';
import { reportReceipt } from '../../../functions/api/contract/report.ts';
import { ruleList } from '../../../functions/api/contract/rules.ts';
import { searchResult } from '../../../functions/api/contract/search.ts';
import { spreadList } from '../../../functions/api/contract/spreads.ts';
import { trackRecord } from '../../../functions/api/contract/track_record.ts';
import { flush, good } from '../../arb/fixture.ts';
import { idOf, putPair, putUpdate, uuidOf } from '../support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../support/fixture.ts';
import { putRules } from '../support/rules.ts';
import { serveApi } from '../support/server.ts';

// The schemas are strict: an undocumented field fails here, and so does a documented field that is
// not sent.

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
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
  // An opportunity that closed before the first snapshot.
  await putPair(sql, { n: 32, confirmed: true });
  await flush(sql, 32, [
    { at: '2026-11-20T11:55:00.000Z', opp: good(32) },
    { at: '2026-11-20T11:56:00.000Z', opp: null, ask: 470_000 },
  ]);
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
  await putUpdate(sql, 30, {
    at,
    ask_a: [400000, none, none],
    ask_b: [420000, 310000, none],
    ladder_a: [500000, none],
  });
  await flush(sql, 1, [{ at: '2026-11-20T11:57:30.000Z', opp: good(1) }]);
  await putUpdate(sql, 10, {
    at,
    ask_a: [400000, 610000],
    ask_b: [420000, none],
    bid_a: [390000, none],
    size_a: [1250, none],
  });
});
afterAll(() => world.close());

async function expectSchema(schema: z.ZodType, path: string, status = 200, apiKey = key) {
  const answer = await world.get(path, apiKey);
  const body: unknown = await answer.json();
  expect(answer.status, path).toBe(status);
  const parsed = schema.safeParse(body);
  expect(parsed.error?.issues ?? [], `${path}: ${JSON.stringify(body).slice(0, 600)}`).toEqual([]);
  return body;
}

describe('the documented schema', () => {
  test.each([
    '',
    '?market_type=all&include=ids,depth,settlement&status=open,live,resolving,closed,settled',
    '?market_type=all&include=depth&sort=-spread_pts&limit=2',
    '?signal=candidates&include=settlement',
    '?signal=spread&market_type=all',
    '?sport=nothing&category=nothing',
    '?status=settled&include=settlement',
  ])('matches the response of /v2/markets%s', async (query) => {
    await expectSchema(marketList, `/v2/markets${query}`);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 30, 31])('matches the response of /v2/pairs for pair %i', async (n) => {
    await expectSchema(market, `/v2/pairs/${idOf(n)}`);
    await expectSchema(market, `/v2/pairs/${idOf(n)}?include=ids`);
    await expectSchema(market, `/v2/pairs/${idOf(n)}?levels=10`);
    await expectSchema(market, `/v2/pairs/${idOf(n)}?include=best`);
  });

  test('is tested with every optional part of a market', async () => {
    const { markets } = marketList.parse(
      await expectSchema(
        marketList,
        '/v2/markets?market_type=all&include=ids,depth,settlement&status=open,live,settled',
      ),
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

  test('matches the response of /v2/arbitrage with and without opportunities', async () => {
    const { count } = opportunityList.parse(await expectSchema(opportunityList, '/v2/arbitrage'));
    expect(count).toBeGreaterThan(0);
    await expectSchema(opportunityList, '/v2/arbitrage?sport=nothing');
    await expectSchema(opportunityList, '/v2/arbitrage?include=settlement,books');
  });

  test('matches the response of /v2/arbitrage/history with and without rows', async () => {
    const { count } = pastOpportunityList.parse(await expectSchema(pastOpportunityList, '/v2/arbitrage/history'));
    expect(count).toBeGreaterThan(0);
    await expectSchema(pastOpportunityList, '/v2/arbitrage/history?reason=nothing');
  });

  test('matches the response of /v2/spreads with and without rows', async () => {
    const { count } = spreadList.parse(await expectSchema(spreadList, '/v2/spreads'));
    expect(count).toBeGreaterThan(0);
    await expectSchema(
      spreadList,
      '/v2/spreads?min_gap=99&category=x&sport=x&competition=x&location=x&basis=x&institution=x',
    );
  });

  test.each(['q=title', 'q=nothing%20at%20all', 'q=title&sport=hockey&category=sports&page=2&page_size=1'])(
    'matches the response of /v2/search?%s',
    async (query) => {
      await expectSchema(searchResult, `/v2/search?${query}`);
    },
  );

  test('matches the response of /v2/lookup for ids of every kind and for an unknown id', async () => {
    const ids = [idOf(1), 'KX-1-home', 'KXL-0', '1000', '0x1', 'KXEVENT-1', 'slug-1', 'unknown'].join(',');
    await expectSchema(lookup, `/v2/lookup?id=${ids}`);
  });

  test('matches the response of /v2/pairs/{market_id}/history with and without points', async () => {
    const { sql } = world.db;
    await sql`select pipeline.refresh_snapshot()`;
    await sql`select price.sample_history(2000)`;
    const { series } = history.parse(await expectSchema(history, `/v2/pairs/${idOf(1)}/history`));
    expect(series.some((one) => one.points.length > 0)).toBe(true);
    await expectSchema(history, `/v2/pairs/${idOf(4)}/history?from=2026-11-20&to=2026-11-21`);
    await expectSchema(errorBody, `/v2/pairs/${idOf(999)}/history`, 404);
  });

  test('matches the response of /v2/rules with and without divergences and pools', async () => {
    const sides = { terms_b: 'waits' };
    await putRules(world.db.sql, [
      { ...sides, competition: 'NHL', agreeing: 2, divergences: [{ occasion: 'one', settled_at: '2026-02-08Z' }] },
      { ...sides, competition: 'AHL', agreeing: 200, text_form: 'ice hockey' },
      { ...sides, competition: 'KHL', agreeing: 200, text_form: 'ice hockey' },
    ]);
    const { rules } = ruleList.parse(await expectSchema(ruleList, '/v2/rules?include=divergences'));
    expect(new Set(rules.map((rule) => rule.state))).toEqual(new Set(['pooled', 'unconfirmed', 'withdrawn']));
    await expectSchema(ruleList, '/v2/rules?family=total&competition=x&state=refused');
  });

  test('matches the response of /v2/coverage before and after the first census', async () => {
    const { sql } = world.db;
    await expectSchema(coverage, '/v2/coverage');
    await sql`select venue.upsert_series('venue_a', ${sql.json([{ series_id: 'KXS', payload: {} }])})`;
    await sql`select census.rebuild()`;
    const { series } = coverage.parse(await expectSchema(coverage, '/v2/coverage'));
    expect(series.length).toBeGreaterThan(0);
  });

  test('matches the response of /v2/categories and /v2/leagues', async () => {
    const { categories } = categoryList.parse(await expectSchema(categoryList, '/v2/categories'));
    expect(categories.length).toBeGreaterThan(1);
    await expectSchema(leagueList, '/v2/leagues');
  });

  test('matches the response of /v2/report-bad-arb for accepted and rejected reports', async () => {
    const report = async (body: object) => {
      const answer = await fetch(`${world.api.base}/v2/report-bad-arb`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
      return [answer.status, await answer.json()] as const;
    };
    const [status, receipt] = await report({ reason: 'a test' });
    expect([status, reportReceipt.safeParse(receipt).error]).toEqual([202, undefined]);
    const [empty, emptyBody] = await report({ reason: ' ' });
    expect([empty, errorBody.safeParse(emptyBody).error]).toEqual([400, undefined]);
    const [invalid, invalidBody] = await report({ reason: 1 });
    expect([invalid, validationError.safeParse(invalidBody).error]).toEqual([422, undefined]);
  });

  test('matches the response of /v2/track-record with and without records', async () => {
    await world.db.sql`select arb.update_track_record()`;
    const { records } = trackRecord.parse(await expectSchema(trackRecord, '/v2/track-record'));
    expect(records).toHaveLength(1);
    await expectSchema(trackRecord, '/v2/track-record?month=2026-11&family=moneyline&competition=nba');
    await expectSchema(trackRecord, '/v2/track-record?competition=nothing');
    await expectSchema(validationError, '/v2/track-record?month=november', 422);
  });

  test('matches the response of /v2/sample with ladders and without markets', async () => {
    const { sql } = world.db;
    const read = async () => {
      const api = await serveApi(world.db.url('parallax_api'));
      try {
        return sample.parse(await (await fetch(`${api.base}/v2/sample`)).json());
      } finally {
        await api.close();
      }
    };
    expect((await read()).markets).toEqual([]);
    for (const n of [1, 5, 30]) await sql`insert into stream.sample_markets (pair_id) values (${uuidOf(n)})`;
    expect((await read()).count).toBe(3);
  });

  test('matches the response of /health', async () => {
    await expectSchema(health, '/health');
  });
});

test('the guide names the limits of the tiers in the database', async () => {
  const tiers = await world.db.sql<{ tier: string; window_requests: number; month_requests: number }[]>`
    select tier, window_requests, month_requests from account.tiers`;
  expect(tiers).toHaveLength(4);
  const formatted = (count: number) => count.toLocaleString('en-US');
  for (const { tier, window_requests, month_requests } of tiers) {
    const name = tier[0]?.toUpperCase() + tier.slice(1);
    expect(GUIDE).toContain(
      `**${name}**: ${formatted(window_requests)} per window, ${formatted(month_requests)} per month`,
    );
  }
});

describe('the documented schema of an error', () => {
  test('matches the body of 401 and 404', async () => {
    await expectSchema(errorBody, '/v2/markets', 401, 'sk_live_nothing');
    await expectSchema(errorBody, `/v2/pairs/${idOf(999)}`, 404);
    await expectSchema(errorBody, '/nowhere', 404);
  });
  test.each(['limit=0', 'limit=x', 'status=no', 'signal=arb', 'page=2&cursor=x', 'has_history=maybe', 'sort=1&sort=2'])(
    'matches the body of a 422 for %s',
    async (query) => {
      await expectSchema(validationError, `/v2/markets?${query}`, 422);
    },
  );
  test('matches the body of a 429 by window and by month', async () => {
    for (const set of [
      'window_began_at = clock_timestamp(), window_used = 600',
      'window_used = 0, month_used = 10000',
    ]) {
      const exhausted = await world.key('free');
      await world.db.sql.unsafe(
        `update account.usage set ${set} where org_id = (select org_id from account.keys where hash = account.key_hash('${exhausted}'))`,
      );
      await expectSchema(rateError, '/v2/markets', 429, exhausted);
    }
  });
  test('matches the body of a 503', async () => {
    const api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
    try {
      const answer = await fetch(`${api.base}/v2/markets`, { headers: { Authorization: `Bearer ${key}` } });
      expect(unavailableError.safeParse(await answer.json()).error).toBeUndefined();
    } finally {
      await api.close();
    }
  });
});
