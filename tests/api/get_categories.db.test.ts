import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePair, putPair } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
const nothing = { sport: null, competition: null };
beforeAll(async () => {
  world = await createApiFixture();
  const { sql } = world.db;
  await putPair(sql, { n: 60, market_type: 'crypto_above', category: 'crypto', ...nothing, asset: 'btc' });
  await putPair(sql, {
    n: 61,
    market_type: 'crypto_above',
    category: 'crypto',
    ...nothing,
    asset: 'eth',
    status: 'closed',
  });
  await putPair(sql, {
    n: 62,
    market_type: 'econ_print',
    category: 'economics',
    ...nothing,
    indicator: 'cpi',
    basis: 'yoy',
  });
  await putPair(sql, {
    n: 63,
    market_type: 'econ_print',
    category: 'economics',
    ...nothing,
    indicator: 'cpi',
    basis: 'mom',
  });
  await putPair(sql, { n: 64, market_type: 'cb_decision', category: 'central_banks', ...nothing, institution: 'ecb' });
  await putPair(sql, { n: 65, market_type: 'fed_decision', category: 'central_banks', ...nothing, institution: 'fed' });
  await putPair(sql, { n: 66, market_type: 'outright', sport: 'golf', competition: null });
  await putPair(sql, { n: 67, category: 'nowhere', stage: 'candidate' });
  key = await world.key();
});
afterAll(() => world.close());

type Category = { category: string; market_types: string[]; facets: Record<string, unknown>[]; count: number };
const list = async (query = ''): Promise<Category[]> => {
  const answer = await world.get(`/v2/categories${query}`, key);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { categories: Category[] }).categories;
};

describe('GET /v2/categories', () => {
  test('returns every category with its types, its facets with the fields of its context, and its counts', async () => {
    expect(await list()).toEqual([
      {
        category: 'central_banks',
        market_types: ['cb_decision', 'fed_decision'],
        facets: [
          { market_type: 'cb_decision', institution: 'ecb', count: 1 },
          { market_type: 'fed_decision', institution: 'fed', count: 1 },
        ],
        ...{ count: 2, open: 2, live: 0, settled: 0 },
      },
      {
        category: 'crypto',
        market_types: ['crypto_above'],
        facets: [
          { market_type: 'crypto_above', asset: 'btc', count: 1 },
          { market_type: 'crypto_above', asset: 'eth', count: 1 },
        ],
        ...{ count: 2, open: 1, live: 0, settled: 0 },
      },
      {
        category: 'economics',
        market_types: ['econ_print'],
        facets: [
          { market_type: 'econ_print', indicator: 'cpi', basis: 'mom', count: 1 },
          { market_type: 'econ_print', indicator: 'cpi', basis: 'yoy', count: 1 },
        ],
        ...{ count: 2, open: 2, live: 0, settled: 0 },
      },
      {
        category: 'sports',
        market_types: ['moneyline', 'outright', 'total'],
        facets: [
          { market_type: 'moneyline', sport: 'basketball', competition: 'NBA', count: 6 },
          { market_type: 'moneyline', sport: 'hockey', competition: 'NHL', count: 1 },
          { market_type: 'outright', sport: 'basketball', competition: 'NBA', count: 1 },
          { market_type: 'outright', sport: 'golf', competition: null, count: 1 },
          { market_type: 'total', sport: 'basketball', competition: 'NBA', count: 1 },
        ],
        ...{ count: 10, open: 7, live: 1, settled: 1 },
      },
      {
        category: 'weather',
        market_types: ['weather_high'],
        facets: [{ market_type: 'weather_high', location: 'nyc', count: 1 }],
        ...{ count: 1, open: 1, live: 0, settled: 0 },
      },
    ]);
  });

  test('counts as many markets for each facet as /v2/markets returns with its filters', async () => {
    for (const { category, facets, count } of await list()) {
      expect(facets.reduce((sum, facet) => sum + Number(facet.count), 0)).toBe(count);
      for (const { count: expected, ...facet } of facets) {
        const given = Object.entries({ ...facet, category }).filter(([, value]) => value !== null) as [
          string,
          string,
        ][];
        const every = 'status=open,live,resolving,closed,settled';
        const answer = await world.get(`/v2/markets?${every}&${new URLSearchParams(given)}`, key);
        expect((await answer.json()).count, JSON.stringify(facet)).toBe(expected);
      }
    }
  });

  test('omits categories that have candidates only, and sorts by name', async () => {
    const names = (await list()).map((found) => found.category);
    expect(names).not.toContain('nowhere');
    expect(names).toEqual([...names].sort());
  });

  test('returns the same bytes and 304 within a step, and the changes with the next step', async () => {
    const first = await world.get('/v2/categories', key);
    const text = await first.text();
    await changePair(world.db.sql, 62, { status: 'live' });
    await changePair(world.db.sql, 60, { withdrawn_at: '2026-11-20T12:00:00Z' });
    expect(await (await world.get('/v2/categories', key)).text()).toBe(text);
    const tag = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect((await world.get('/v2/categories', key, tag)).status).toBe(304);
    await world.clock.set('2026-11-20T12:00:05Z');
    const now = await list();
    expect(now.find((found) => found.category === 'economics')).toMatchObject({ count: 2, open: 1, live: 1 });
    expect(now.find((found) => found.category === 'crypto')).toMatchObject({ count: 1, open: 0 });
  });

  test('returns an empty list for an empty catalog', async () => {
    const empty = await createApiFixture();
    try {
      await empty.db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes`;
      const answer = await empty.get('/v2/categories', await empty.key());
      expect(await answer.json()).toEqual({ categories: [] });
    } finally {
      await empty.close();
    }
  });
});

test.each(['?', '?x=%zz', '?category=%00', `?${'a=b&'.repeat(500)}`, "?';--", '?include=nonsense'])(
  'GET /v2/categories ignores all parameters: %.20s',
  async (query) => {
    expect(await list(query)).toEqual(await list());
  },
);
