import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdShardLeases, idOf, putLegFee, putPair, putUpdate, readAt, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

// The views of /v2/markets with their own order or content: history, depth, candidates.

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

type Body = { has_more: boolean; next_cursor: string | null; markets: { id: string }[] };
const list = async (query = ''): Promise<Body> => {
  const answer = await world.get(`/v2/markets${query}`, key);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
};
const ids = async (query = '') =>
  (await list(query)).markets.map((market) => Number.parseInt(market.id.slice(-12), 16));

test('has_history returns each resolved market with points once, by page and by cursor', async () => {
  for (const n of [70, 71, 72, 73]) await putPair(world.db.sql, { n, sport: 'darts', status: 'settled' });
  await putPair(world.db.sql, { n: 74, sport: 'darts', status: 'closed' });
  await world.clock.set('2026-11-20T12:00:05Z');
  await list();
  const { sql } = world.db;
  const withHistory = [70, 72, 73, 74].map(uuidOf);
  await sql`update price.snapshot_rows set has_history = true where pair_id = any (${withHistory}::uuid[])`;
  const byPage = [];
  for (let page = 1; page <= 4; page++) byPage.push(await list(`?has_history=true&sport=darts&limit=1&page=${page}`));
  expect(byPage.map((body) => body.markets.map((market) => market.id))).toEqual([
    [idOf(70)],
    [idOf(72)],
    [idOf(73)],
    [],
  ]);
  expect(byPage.map((body) => body.has_more)).toEqual([true, true, false, false]);
  const { next_cursor } = await list('?has_history=true&sport=darts&limit=2');
  expect(await ids(`?has_history=true&sport=darts&limit=2&cursor=${next_cursor}`)).toEqual([73]);
  expect(await ids('?has_history=true&sport=darts&status=closed')).toEqual([74]);
  expect(await ids('?has_history=false&sport=darts&status=settled')).toEqual([70, 71, 72, 73]);
  await sql`update price.snapshot_rows set has_history = false`;
});

test('include=depth adds both books to each outcome and changes nothing else', async () => {
  type Outcomes = { outcomes: Record<string, unknown>[] };
  const rows = async (query: string) => (await list(query)).markets as unknown as Outcomes[];
  const [deep] = await rows('?sport=hockey&include=depth');
  expect(deep?.outcomes[0]).toMatchObject({
    venue_a_book: { ask: 0.3, bid: null, depth: null, ticker: 'KX-3-home' },
    venue_b_book: { ask: 0.31, bid: null, depth: null, token_id: '3000' },
  });
  for (const outcome of deep?.outcomes ?? []) {
    delete outcome.venue_a_book;
    delete outcome.venue_b_book;
  }
  expect([deep]).toEqual(await rows('?sport=hockey'));
});

describe('levels', () => {
  type Deep = { levels_read_at?: object; outcomes: Record<string, Record<string, unknown> | null>[] };
  const deep = async (path: string): Promise<Deep> => {
    const body = await (await world.get(path, key)).json();
    return body.markets?.[0] ?? body;
  };
  const without = ({ levels_read_at, ...market }: Deep) => ({
    ...market,
    outcomes: market.outcomes.map(({ venue_a_book, venue_b_book, ...outcome }) => {
      const { levels: _, ...a } = venue_a_book ?? {};
      const { levels: __, ...b } = venue_b_book ?? {};
      return { ...outcome, venue_a_book: venue_a_book && a, venue_b_book: venue_b_book && b };
    }),
  });

  test('adds the best level of each side to each book, when it was read, and changes nothing else', async () => {
    await putPair(world.db.sql, {
      n: 90,
      sport: 'squash',
      title: 'a "} b',
      outcomes: [
        { key: 'home', name: '"venue_a_book"' },
        { key: 'away', a: null },
      ],
    });
    await putUpdate(world.db.sql, 90, {
      at: '2026-11-20T11:58:03.217Z',
      ask_a: [310_000, null],
      ask_b: [305_500, 700_000],
      bid_a: [290_000, null],
      size_a: [12_345, null],
      bid_size_a: [50, null],
    });
    await world.clock.set('2026-11-20T12:00:10Z');
    for (const path of [`/v2/pairs/${idOf(90)}?`, '/v2/markets?sport=squash&include=depth,ids,settlement&']) {
      const market = await deep(`${path}levels=5`);
      expect(market.levels_read_at).toEqual({
        venue_a: readAt('venue_a', '2026-11-20T11:58:03.217Z'),
        venue_b: readAt('venue_b', '2026-11-20T11:58:03.217Z'),
      });
      const [home, away] = market.outcomes;
      expect(home?.venue_a_book?.levels).toEqual({
        asks: [{ price: 0.31, size: 123.45 }],
        bids: [{ price: 0.29, size: 0.5 }],
      });
      expect(home?.venue_b_book?.levels).toEqual({ asks: [{ price: 0.3055, size: null }], bids: [] });
      expect(away?.venue_a_book).toBeNull();
      expect(without(market)).toEqual(await deep(path));
    }
  });

  test('adds deeper levels of a venue whose sample fits the served price', async () => {
    const { db } = world;
    const levels = { asks: [310_000, 320_000, 330_000].map((price, n) => [price, 12_345 + n]), bids: [[290_000, 50]] };
    const sample = {
      pair: uuidOf(90),
      step: Date.parse('2026-11-20T11:58:05Z'),
      read_a: Date.parse('2026-11-20T11:58:05.050Z'),
    };
    await holdShardLeases(db.sql);
    await db.sql`
      select price.store_levels(
        (select jsonb_object_agg(name, token) from venue.leases where name like 'books:%'),
        ${db.sql.json([
          {
            ...sample,
            read_b: null,
            books: [
              { a: levels, b: null },
              { a: null, b: null },
            ],
          },
        ])}
      )`;
    for (const path of [`/v2/pairs/${idOf(90)}?include=depth&`, '/v2/markets?sport=squash&include=depth&']) {
      const market = await deep(`${path}levels=2`);
      expect(market.levels_read_at).toEqual({
        venue_a: '2026-11-20T11:58:05.050Z',
        venue_b: readAt('venue_b', '2026-11-20T11:58:03.217Z'),
      });
      const [home] = market.outcomes;
      expect(home?.venue_a_book?.levels).toEqual({
        asks: [
          { price: 0.31, size: 123.45 },
          { price: 0.32, size: 123.46 },
        ],
        bids: [{ price: 0.29, size: 0.5 }],
      });
      expect(home?.venue_b_book?.levels).toEqual({ asks: [{ price: 0.3055, size: null }], bids: [] });
    }
  });

  test('has no books and no time for a market without prices', async () => {
    const market = await deep(`/v2/pairs/${idOf(10)}?levels=1`);
    expect(market).toMatchObject({ outcomes: [], levels_read_at: { venue_a: null, venue_b: null } });
  });

  test.each([
    ['include=depth&levels=0', 'greater_than_equal'],
    ['include=depth&levels=11', 'less_than_equal'],
    ['include=depth&levels=two', 'int_parsing'],
    ['include=ids&levels=1', 'value_error'],
  ])('returns 422 for %s', async (query, type) => {
    for (const path of ['/v2/markets', `/v2/pairs/${idOf(1)}`]) {
      const answer = await world.get(`${path}?${query}`, key);
      expect(answer.status).toBe(422);
      expect((await answer.json()).detail).toMatchObject([{ type, loc: ['query', 'levels'] }]);
    }
    expect((await world.get('/v2/markets?levels=1', key)).status).toBe(422);
  });
});

describe('include=best', () => {
  const best = async (path: string) => {
    const body = await (await world.get(path, key)).json();
    return (body.markets?.[0] ?? body).best;
  };
  const putFee = (n: number, ordinal: number, venue: 'venue_a' | 'venue_b', fee: object | null) =>
    putLegFee(world.db.sql, n, ordinal, venue, fee);

  test('has the cheapest ask and the dearest bid after fees, and leaves out a venue without a fee', async () => {
    const outcomes = [{ key: 'a' }, { key: 'b', side: 'no' as const }, { key: 'c' }, { key: 'd' }];
    await putPair(world.db.sql, { n: 95, sport: 'padel', outcomes });
    for (const [ordinal, feeA, feeB] of [
      [0, '1', '0.05'],
      [1, '0', '0'],
      [2, null, '0.05'],
    ] as const) {
      await putFee(95, ordinal, 'venue_a', feeA && { model: 'quadratic', multiplier: feeA, maker: false });
      await putFee(95, ordinal, 'venue_b', { model: 'rate', rate: feeB });
    }
    await putUpdate(world.db.sql, 95, {
      at: '2026-11-20T11:58:12Z',
      // venue_a is a tenth of a cent cheaper before fees, and dearer after them.
      ask_a: [400_000, 500_000, 100_000, 100_000],
      ask_b: [401_000, 500_000, 200_000, 100_000],
      bid_a: [390_000, 480_000, 90_000, 90_000],
      bid_b: [380_000, null, null, 90_000],
      size_a: [100, 250, 100, 100],
      size_b: [null, 300, 100, 100],
      bid_size_a: [1_050, 7, 100, 100],
    });
    await world.clock.set('2026-11-20T12:00:15Z');
    const expected = [
      {
        outcome: 'a',
        buy: {
          ...{ venue: 'venue_b', contract: '95000', side: null },
          ...{ price: 0.401, fee: 0.01201, net: 0.41301, size: null },
        },
        sell: {
          ...{ venue: 'venue_a', contract: 'KX-95-a', side: 'yes' },
          ...{ price: 0.39, fee: 0.0167, net: 0.3733, size: 10.5 },
        },
      },
      {
        outcome: 'b',
        // Equal prices: the larger size.
        buy: { venue: 'venue_b', contract: '95001', side: null, price: 0.5, fee: 0, net: 0.5, size: 3 },
        sell: { venue: 'venue_a', contract: 'KX-95-b', side: 'no', price: 0.48, fee: 0, net: 0.48, size: 0.07 },
      },
      {
        outcome: 'c',
        buy: { venue: 'venue_b', contract: '95002', side: null, price: 0.2, fee: 0.008, net: 0.208, size: 1 },
        sell: null,
      },
      { outcome: 'd', buy: null, sell: null },
    ];
    expect(await best('/v2/markets?sport=padel&include=best')).toEqual(expected);
    expect(await best(`/v2/pairs/${idOf(95)}?include=best,depth&levels=2`)).toEqual(expected);
    expect(await best(`/v2/pairs/${idOf(95)}`)).toBeUndefined();
  });

  test('is empty for a market without prices', async () => {
    expect(await best(`/v2/pairs/${idOf(10)}?include=best`)).toEqual([]);
  });

  test('takes a share that no venue has without an error', async () => {
    await putPair(world.db.sql, { n: 96, sport: 'polo' });
    await putFee(96, 0, 'venue_a', { model: 'quadratic', multiplier: '123456789012345' });
    await putFee(96, 0, 'venue_b', { model: 'rate', rate: 'free' });
    await putUpdate(world.db.sql, 96, { at: '2026-11-20T11:58:12Z', ask_a: [400_000, 1], ask_b: [400_000, 1] });
    await world.clock.set('2026-11-20T12:00:20Z');
    const [first] = await best('/v2/markets?sport=polo&include=best');
    expect(first).toMatchObject({ buy: { venue: 'venue_a', price: 0.4 }, sell: null });
  });
});

test('signal=candidates supports filters, sort by gap, and paging', async () => {
  const frame = { at: '2026-11-20T11:57:00.000Z', ask_a: [300000, 700000] };
  for (const [n, ask] of [
    [80, 320000],
    [81, 350000],
    [82, 320000],
  ] as const) {
    await putPair(world.db.sql, { n, stage: 'candidate', sport: 'cricket', competition: 'IPL' });
    await putUpdate(world.db.sql, n, { ...frame, ask_b: [ask, 700000] });
  }
  await putPair(world.db.sql, { n: 83, stage: 'candidate', sport: 'cricket', market_type: 'total', line: 3.5 });
  await putPair(world.db.sql, { n: 84, stage: 'candidate', sport: 'cricket' });
  await world.clock.set('2026-11-20T12:00:25Z');
  expect(await ids('?signal=candidates&sport=cricket&sort=-spread_pts')).toEqual([81, 80, 82, 84]);
  expect(await ids('?signal=candidates&sport=cricket&sort=-spread_pts&limit=2&page=2')).toEqual([82, 84]);
  expect(await ids('?signal=candidates&competition=ipl')).toEqual([80, 81, 82]);
  expect(await ids('?signal=candidates&sport=cricket&market_type=total')).toEqual([83]);
  const { next_cursor } = await list('?signal=candidates&sport=cricket&sort=-spread_pts&limit=3');
  expect(await ids(`?signal=candidates&sport=cricket&sort=-spread_pts&limit=3&cursor=${next_cursor}`)).toEqual([84]);
  expect(await ids('?sport=cricket&market_type=all')).toEqual([]);
});
