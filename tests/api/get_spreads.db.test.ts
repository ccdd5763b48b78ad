import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, putPair, putUpdate, type SeedPair } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;

// The rule is not confirmed, so gate 2 keeps the pair a spread. The asks differ by `gap` points.
const putSpread = async (pair: SeedPair, gap: number) => {
  await putPair(world.db.sql, { sport: 'tennis', competition: 'ATP', ...pair });
  const frame = { at: '2026-11-20T11:57:00.000Z', ask_a: [400_000, 600_000], ask_b: [400_000 + gap * 10_000, 600_000] };
  await putUpdate(world.db.sql, pair.n, frame);
};

beforeAll(async () => {
  world = await createApiFixture();
  await putSpread(
    {
      n: 20,
      risks: [
        ['walkover', 'high'],
        ['cancel_refund', 'critical'],
      ],
      title: `A "quoted" \\ title`,
    },
    4,
  );
  await putSpread({ n: 21, status: 'live' }, 12.3456);
  await putSpread({ n: 22 }, 4);
  await putSpread(
    {
      n: 23,
      market_type: 'crypto_above',
      category: 'crypto',
      sport: null,
      competition: null,
      asset: 'btc',
      band: 'REVIEW',
    },
    7,
  );
  await putSpread(
    {
      n: 24,
      market_type: 'econ_print',
      category: 'economics',
      sport: null,
      competition: null,
      indicator: 'cpi',
      basis: 'yoy',
    },
    1,
  );
  await putSpread(
    { n: 25, market_type: 'cb_decision', category: 'economics', sport: null, competition: null, institution: 'ecb' },
    1.5,
  );
  // The response must omit all of these.
  await putSpread({ n: 30, entity: '0.949' }, 30);
  await putSpread({ n: 31, resolution: '0.949', band: 'REVIEW' }, 30);
  await putSpread({ n: 32, stage: 'candidate' }, 30);
  await putSpread({ n: 33, status: 'resolving' }, 30);
  await putSpread({ n: 34, status: 'settled' }, 30);
  await putSpread({ n: 35, status: 'closed' }, 30);
  await putSpread({ n: 36, confirmed: true }, 30);
  await putSpread({ n: 37 }, 0);
  await putSpread({ n: 38 }, 30);
  await putUpdate(world.db.sql, 38, { at: '2026-11-20T11:57:30.000Z', ask_a: [null, 1], ask_b: [1, null] });
  await putSpread({ n: 39 }, 30);
  await putUpdate(world.db.sql, 39, { at: '2026-11-20T11:57:30.000Z', ask_a: [], ask_b: [], void: 'unwatched' });
  key = await world.key();
});
afterAll(() => world.close());

type Body = { count: number; spreads: { id: string; signal: string; spread_pts: number; match_band: string }[] };
const list = async (query = ''): Promise<Body> => {
  const answer = await world.get(`/v2/spreads${query}`, key);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
};
const ids = async (query = '') => (await list(query)).spreads.map((row) => Number.parseInt(row.id.slice(-12), 16));

describe('GET /v2/spreads', () => {
  test('returns every filter of the request, null where it is absent', async () => {
    expect(await list('?limit=1&min_gap=13')).toEqual({
      ...{ category: null, sport: null, competition: null, location: null, asset: null, indicator: null },
      ...{ basis: null, institution: null, min_gap: 13, count: 0, spreads: [] },
    });
    const odd = `a"b\\c'd`;
    expect(await list(`?sport=${encodeURIComponent(odd)}&competition=aTp&min_gap=0.50`)).toMatchObject({
      ...{ sport: odd, competition: 'aTp', min_gap: 0.5, count: 0, spreads: [] },
    });
  });

  test('returns rows with the fields of spec.md and settlement without risks of cancellation', async () => {
    const { spreads } = await list('?sport=tennis&min_gap=4&limit=2');
    expect(spreads[1]).toEqual({
      id: idOf(20),
      category: 'sports',
      market_type: 'moneyline',
      sport: 'tennis',
      competition: 'ATP',
      title: `A "quoted" \\ title`,
      status: 'open',
      signal: 'spread',
      spread_pts: 4,
      match_band: 'EXACT',
      settlement: {
        parity: false,
        risks: [{ event: 'walkover', severity: 'high', note: 'Note on walkover' }],
        venue_a_text: 'Rules "A"\nline two',
        venue_b_text: null,
        verdict: null,
      },
    });
  });

  test('returns the same settlement block as include=settlement', async () => {
    const answer = await world.get('/v2/markets?sport=tennis&include=settlement', key);
    const { markets } = (await answer.json()) as { markets: { id: string; settlement: unknown }[] };
    const { spreads } = (await list('?sport=tennis')) as unknown as { spreads: { id: string; settlement: unknown }[] };
    for (const row of spreads) {
      expect(row.settlement).toEqual(markets.find((market) => market.id === row.id)?.settlement);
    }
  });

  test('returns only sure, priced, trading rows with a gap that are not arb, widest first, then by id', async () => {
    expect(await ids()).toEqual([21, 23, 20, 22, 25, 3, 24]);
  });

  test('returns signal spread only, and includes rows of band REVIEW', async () => {
    const { spreads } = await list();
    expect(new Set(spreads.map((row) => row.signal))).toEqual(new Set(['spread']));
    expect(Object.fromEntries(spreads.map((row) => [row.id, row.match_band]))).toMatchObject({
      [idOf(23)]: 'REVIEW',
      [idOf(21)]: 'EXACT',
    });
  });

  test.each<[string, number[]]>([
    ['?category=crypto', [23]],
    ['?category=Crypto', [23]],
    ['?sport=tennis', [21, 20, 22]],
    ['?sport=Tennis', [21, 20, 22]],
    ['?competition=atp', [21, 20, 22]],
    ['?competition=AT_', []],
    ['?asset=btc', [23]],
    ['?asset=Btc&category=CRYPTO', [23]],
    ['?indicator=cpi&basis=yoy', [24]],
    ['?indicator=cpi&basis=mom', []],
    ['?institution=ecb', [25]],
    ['?location=nyc', []],
    ['?min_gap=12.3456', [21]],
    ['?min_gap=12.34561', []],
    ['?min_gap=0', [21, 23, 20, 22, 25, 3, 24]],
    ['?min_gap=1000', []],
    [`?min_gap=${'9'.repeat(150)}`, []],
    ['?limit=3', [21, 23, 20]],
    ['?sport=', []],
    ["?category=';drop table price.snapshot;--", []],
    ['?unknown=1&league=nothing&%zz=1', [21, 23, 20, 22, 25, 3, 24]],
  ])('returns the expected rows for %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test('returns the same bytes and 304 within a step, and omits a closed gap with the next step', async () => {
    const first = await world.get('/v2/spreads', key);
    const tag = first.headers.get('ETag') ?? '';
    const text = await first.text();
    await putUpdate(world.db.sql, 21, {
      ...{ at: '2026-11-20T11:58:03.000Z', ask_a: [400_000, 600_000], ask_b: [400_000, 600_000] },
    });
    expect(await (await world.get('/v2/spreads', key)).text()).toBe(text);
    expect((await world.get('/v2/spreads', key, { 'If-None-Match': tag })).status).toBe(304);
    await world.clock.set('2026-11-20T12:00:05Z');
    expect((await world.get('/v2/spreads', key, { 'If-None-Match': tag })).status).toBe(200);
    expect(await ids()).toEqual([23, 20, 22, 25, 3, 24]);
  });
});
