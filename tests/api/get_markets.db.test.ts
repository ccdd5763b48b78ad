import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, putPair, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

type Body = {
  count: number;
  has_more: boolean;
  next_cursor: string | null;
  markets: { id: string; signal: string; match: string; spread_pts: number | null }[];
};
const list = async (query = ''): Promise<Body> => {
  const answer = await world.get(`/v2/markets${query}`, key);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
};
const ids = async (query = '') =>
  (await list(query)).markets.map((market) => Number.parseInt(market.id.slice(-12), 16));

describe('GET /v2/markets', () => {
  test('returns the list with its count, filters, cursor and snapshot time', async () => {
    const body = await list('?sport=hockey&category=sports');
    expect(body).toMatchObject({
      count: 1,
      category: 'sports',
      sport: 'hockey',
      has_more: false,
      next_cursor: null,
      snapshot_at: '2026-11-20T11:58:00.000Z',
      delay_seconds: 120,
    });
    expect(Object.keys(body)).toEqual([
      ...['count', 'category', 'sport', 'has_more', 'next_cursor', 'snapshot_at', 'delay_seconds', 'markets'],
    ]);
  });

  test('returns by default open and live moneyline and outright rows of the catalog, by start and id', async () => {
    expect(await ids()).toEqual([3, 1, 2, 10, 11, 4]);
    expect(await list('?sport=curling')).toMatchObject({ count: 0, category: null, markets: [] });
  });

  test.each<[string, number[]]>([
    ['?sport=hockey', [3]],
    ['?competition=nba&limit=2', [1, 2]],
    ['?league=NhL', [3]],
    ['?competition=NBA&league=NHL&limit=1', [1]],
    ['?category=weather', [6]],
    ['?category=Weather&market_type=Moneyline', []],
    ['?location=NYC', [6]],
    ['?location=chicago', []],
    ['?category=sports', [3, 1, 2, 10, 11, 4]],
    ['?category=Sports&sport=HOCKEY', [3]],
    ['?market_type=total,moneyline&sport=basketball&limit=9', [1, 2, 5, 10, 11]],
    ['?market_type=total&market_type=moneyline&sport=basketball&limit=9', [1, 2, 5, 10, 11]],
    ['?status=SETTLED&status=resolving', [7, 8]],
    ['?market_type=ALL&sport=hockey', [3]],
    ['?has_history=true&status=open', []],
    ['?category=weather&market_type=all', [6]],
    ['?location=nyc&market_type=weather_high,weather_low', [6]],
    ['?market_type=total', [5]],
    ['?market_type=all&sport=basketball', [1, 2, 5, 10, 11, 4]],
    ['?market_type=total,all&sport=hockey', [3]],
    [`?game_id=${idOf(1)}&market_type=all`, [5]],
    [`?game_id=${uuidOf(1).toUpperCase()}&market_type=total`, [5]],
    ['?game_id=nothing&market_type=all', []],
    ['?status=live', [2]],
    ['?status=settled,resolving', [7, 8]],
    ['?status=open,live,resolving,closed,settled&limit=1', [7]],
    ['?signal=spread', [3, 10, 4]],
    ['?signal=candidates', [9]],
    ['?has_history=true', []],
    ['?has_history=false&sport=hockey', [3]],
    ['?asset=btc&market_type=all', []],
    ['?indicator=cpi&institution=fed&basis=yoy&market_type=all', []],
    ["?sport=';drop table price.snapshot;--", []],
    ['?sport=%25&category=%5C', []],
    ['?unknown=1&unknown=2&%zz=1&x=%00', [3, 1, 2, 10, 11, 4]],
    ['?sport=', []],
  ])('returns the expected rows for %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test('returns resolved markets with a history for has_history', async () => {
    await list();
    await world.db.sql`update price.snapshot_rows set has_history = true where pair_id in (${uuidOf(7)}, ${uuidOf(1)})`;
    expect(await ids('?has_history=1&sport=basketball&limit=9')).toEqual([7]);
    await world.db.sql`update price.snapshot_rows set has_history = false`;
  });

  test('sorts equal rows by id and null gaps last', async () => {
    expect(await ids('?sort=-start_time')).toEqual([4, 11, 10, 1, 2, 3]);
    expect(await ids('?sort=-spread_pts')).toEqual([2, 1, 11, 3, 4, 10]);
  });

  test.each(['start_time', '-start_time', '-spread_pts'])(
    'pages and cursors of sort %s walk the same rows, each once',
    async (sort) => {
      const all = await ids(`?sort=${sort}`);
      for (const limit of [1, 2, 4]) {
        const byPage = [];
        for (let page = 1; ; page++) {
          const body = await list(`?sort=${sort}&limit=${limit}&page=${page}`);
          byPage.push(...body.markets.map((market) => market.id));
          expect(body.count).toBe(body.markets.length);
          if (!body.has_more) break;
        }
        const byCursor = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const body: Body = await list(`?sort=${sort}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
          byCursor.push(...body.markets.map((market) => market.id));
          expect(body.next_cursor === null).toBe(!body.has_more);
          cursor = body.next_cursor;
        }
        expect(byPage).toEqual(all.map(idOf));
        expect(byCursor).toEqual(all.map(idOf));
      }
      expect(await list(`?sort=${sort}&page=2147483647`)).toMatchObject({
        count: 0,
        has_more: false,
        next_cursor: null,
      });
    },
  );

  test('adds the blocks of include, and omits the keys of other blocks', async () => {
    const keys = async (query: string) => {
      const [market] = (await list(`${query}&sport=hockey`)).markets as unknown as Record<string, unknown>[];
      const [outcome] = (market?.outcomes ?? []) as object[];
      return ['venues', 'confidence', 'settlement']
        .filter((name) => name in (market ?? {}))
        .concat('venue_a_book' in (outcome ?? {}) ? 'books' : []);
    };
    expect(await keys('?')).toEqual([]);
    expect(await keys('?include=ids')).toEqual(['venues', 'confidence']);
    expect(await keys('?include=depth')).toEqual(['books']);
    expect(await keys('?include=settlement')).toEqual(['settlement']);
    expect(await keys('?include=settlement,ids%2Cdepth')).toEqual(['venues', 'confidence', 'settlement', 'books']);
  });

  test('returns valid JSON for every include, with quotes and backslashes in titles', async () => {
    const body = await list('?market_type=all&include=ids,depth,settlement&status=open,live,resolving,closed,settled');
    expect(body.count).toBe(10);
    expect(JSON.stringify(body)).toContain(JSON.stringify(`It's a "test" \\ 50%`));
  });

  test('returns signal arb for a row with open gates, and never for a candidate', async () => {
    expect((await list('?competition=NBA&limit=1')).markets[0]).toMatchObject({
      signal: 'arb',
      match: 'high_confidence',
    });
    expect((await list('?signal=candidates')).markets[0]).toMatchObject({
      signal: 'spread',
      match: 'review',
      spread_pts: 1,
    });
  });

  test('does not send the body from SQL when the isolate or the client has the current version', async () => {
    const params = {
      status: ['open'],
      sort: 'start_time',
      include: [],
      page: 1,
      limit: 5,
      has_history: false,
      view: 'x',
    };
    const call = async (cached: string | null, clientVersions: string[]) => {
      const { sql } = world.db;
      const [row] = await sql`
        select status, version, body is null as empty
        from api.call_data_route(account.key_hash(${key}), 'get_markets', ${sql.json(params)}, false, ${cached}, ${clientVersions})`;
      return row;
    };
    const first = await call(null, []);
    expect(first).toMatchObject({ status: 200, empty: false });
    expect(await call(first?.version, [])).toMatchObject({ status: 200, empty: true });
    expect(await call(null, [first?.version])).toMatchObject({ status: 304, empty: true });
    expect(await call('1.1', ['1.1'])).toMatchObject({ status: 200, empty: false });
  });
});

test('GET /v2/markets lists a new pair with the next step', async () => {
  await list();
  await putPair(world.db.sql, { n: 99, sport: 'golf', status: 'open' });
  expect(await ids('?sport=golf')).toEqual([]);
  await world.clock.set('2026-11-20T12:00:05Z');
  expect(await ids('?sport=golf')).toEqual([99]);
});
