import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, putPair, uuidOf } from './support/catalog.ts';
import { makeWorld, type World } from './support/world.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await makeWorld();
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

describe('happy', () => {
  test('the envelope', async () => {
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

  test('the default view: catalog rows, open and live, moneyline and outright, by start and id', async () => {
    expect(await ids()).toEqual([3, 1, 2, 10, 11, 4]);
    expect(await list('?sport=curling')).toMatchObject({ count: 0, category: null, markets: [] });
  });

  test.each<[string, number[]]>([
    ['?sport=hockey', [3]],
    ['?competition=nba&limit=2', [1, 2]],
    ['?league=NhL', [3]],
    ['?competition=NBA&league=NHL&limit=1', [1]],
    ['?category=weather', []],
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
  ])('%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test('has_history lists what is resolved and has a history', async () => {
    await list();
    await world.db.sql`update price.snapshot set has_history = true where pair_id in (${uuidOf(7)}, ${uuidOf(1)})`;
    expect(await ids('?has_history=1&sport=basketball&limit=9')).toEqual([7]);
    await world.db.sql`update price.snapshot set has_history = false`;
  });

  test('sorts are total: ties on id, null gaps last', async () => {
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

  test('include adds blocks, and a block that was not asked for is a missing key', async () => {
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

  test('every include of every row is JSON, quotes and backslashes in titles too', async () => {
    const body = await list('?market_type=all&include=ids,depth,settlement&status=open,live,resolving,closed,settled');
    expect(body.count).toBe(10);
    expect(JSON.stringify(body)).toContain(JSON.stringify(`It's a "test" \\ 50%`));
  });

  test('an arb is listed with its signal here, and a candidate never has one', async () => {
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

  test('the isolate is told that it holds the bytes, and is not sent them again', async () => {
    const params = {
      status: ['open'],
      sort: 'start_time',
      include: [],
      page: 1,
      limit: 5,
      has_history: false,
      view: 'x',
    };
    const call = async (held: string | null, seen: string[]) => {
      const { sql } = world.db;
      const [row] = await sql`
        select status, version, body is null as empty
        from api.call(account.key_hash(${key}), 'get_markets', ${sql.json(params)}, false, ${held}, ${seen})`;
      return row;
    };
    const first = await call(null, []);
    expect(first).toMatchObject({ status: 200, empty: false });
    expect(await call(first?.version, [])).toMatchObject({ status: 200, empty: true });
    expect(await call(null, [first?.version])).toMatchObject({ status: 304, empty: true });
    expect(await call('1.1', ['1.1'])).toMatchObject({ status: 200, empty: false });
  });
});

describe('error', () => {
  const long = 'x'.repeat(201);
  test.each<[string, string, string, Record<string, unknown>]>([
    ['limit=0', 'greater_than_equal', 'limit', { ge: 1 }],
    ['limit=-5', 'greater_than_equal', 'limit', { ge: 1 }],
    ['limit=1001', 'less_than_equal', 'limit', { le: 1000 }],
    ['limit=99999999999999999999', 'less_than_equal', 'limit', { le: 1000 }],
    ['limit=ten', 'int_parsing', 'limit', {}],
    ['limit=', 'int_parsing', 'limit', {}],
    ['limit', 'int_parsing', 'limit', {}],
    ['limit=1.5', 'int_parsing', 'limit', {}],
    ['limit=1e2', 'int_parsing', 'limit', {}],
    ['limit=0x10', 'int_parsing', 'limit', {}],
    ['limit=NaN', 'int_parsing', 'limit', {}],
    ['page=0', 'greater_than_equal', 'page', { ge: 1 }],
    ['page=x', 'int_parsing', 'page', {}],
    ['page=2147483648', 'less_than_equal', 'page', { le: 2147483647 }],
    ['has_history=maybe', 'bool_parsing', 'has_history', {}],
    ['has_history=', 'bool_parsing', 'has_history', {}],
    ['status=opened', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    ['status=open,', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    ['status=', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    ['status=OPEN', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    ['signal=arb', 'enum', 'signal', { expected: "'spread' or 'candidates'", use: '/v2/arbitrage' }],
    ['signal=ARB', 'enum', 'signal', { expected: "'spread' or 'candidates'" }],
    ['signal=constructor', 'enum', 'signal', { expected: "'spread' or 'candidates'" }],
    ['sort=spread_pts', 'enum', 'sort', { expected: "'start_time', '-start_time' or '-spread_pts'" }],
    ['include=ids,prices', 'enum', 'include', { expected: "'ids', 'depth' or 'settlement'" }],
    ['market_type=__proto__', 'enum', 'market_type', { expected: expect.stringContaining("'cb_decision' or 'all'") }],
    [`sport=${long}`, 'string_too_long', 'sport', { max_length: 200 }],
    [`game_id=${long}`, 'string_too_long', 'game_id', { max_length: 200 }],
    ['cursor=abc', 'value_error', 'cursor', {}],
    ['cursor=', 'value_error', 'cursor', {}],
    ['limit=1&limit=1', 'value_error', 'limit', {}],
    ['sport=%zz', 'value_error', 'sport', {}],
    ['sport=%ff', 'value_error', 'sport', {}],
    ['sport=%ED%A0%80', 'value_error', 'sport', {}],
    ['sport=a%00b', 'value_error', 'sport', {}],
    ['status=open%00', 'value_error', 'status', {}],
    ['%73port=%00', 'value_error', 'sport', {}],
  ])('%.60s', async (query, type, name, ctx) => {
    const answer = await world.get(`/v2/markets?${query}`, key, { 'X-Request-Id': 'r1' });
    const body = await answer.json();
    expect(answer.status).toBe(422);
    expect(body).toEqual({
      detail: [{ loc: ['query', name], msg: expect.any(String), type, input: expect.any(String), ctx }],
      request_id: 'r1',
    });
  });

  test('all faults at once, each with its place', async () => {
    const body = await (await world.get('/v2/markets?limit=0&page=x&status=a&sport=%00', key)).json();
    expect(body.detail.map((found: { loc: string[] }) => found.loc[1]).sort()).toEqual([
      'limit',
      'page',
      'sport',
      'status',
    ]);
  });

  test('a cursor of another sort or other filters, a forged one, and one beside a page', async () => {
    const { next_cursor: cursor } = await list('?limit=1');
    expect((await world.get(`/v2/markets?limit=2&include=ids&cursor=${cursor}`, key)).status).toBe(200);
    const forge = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const [view, sortKey, id] = JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString());
    for (const query of [
      `sort=-start_time&cursor=${cursor}`,
      `sport=hockey&cursor=${cursor}`,
      `page=2&cursor=${cursor}`,
      `cursor=${cursor}x`,
      `cursor=${forge([view, sortKey, 'x'])}`,
      `cursor=${forge([view, "1'", id])}`,
      `cursor=${forge([view, null, id])}`,
      `cursor=${forge([view, '9'.repeat(18), id])}`,
      `cursor=${forge([view, { a: 1 }, id])}`,
      `cursor=${forge({ view })}`,
      `cursor=${forge([view, sortKey, id, 1])}`,
    ]) {
      expect((await world.get(`/v2/markets?${query}`, key)).status, query).toBe(422);
    }
    expect((await world.get(`/v2/markets?cursor=${forge([view, '9'.repeat(17), id])}`, key)).status).toBe(200);
    expect((await world.get(`/v2/markets?cursor=${forge([view, `-${'9'.repeat(17)}`, id])}`, key)).status).toBe(200);
  });

  test('nothing that anybody puts into a query is a 500', async () => {
    const names = fc.constantFrom(
      ...[
        'category',
        'sport',
        'competition',
        'league',
        'location',
        'asset',
        'indicator',
        'basis',
        'institution',
        'status',
        'signal',
      ],
      ...['sort', 'include', 'market_type', 'game_id', 'has_history', 'page', 'limit', 'cursor', 'other'],
    );
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[#\s]/g, '%')),
      fc.constantFrom(
        '%',
        '%0',
        '%00',
        '%F0%9F%98%80',
        "'",
        '"',
        '\\',
        '$1',
        '{}',
        '[]',
        'null',
        'all',
        'open',
        '-1',
        '1e9',
        '%2527',
        '+',
        '&=&',
      ),
      fc.integer().map(String),
      fc.constant('9'.repeat(400)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, value), { maxLength: 5 }), async (pairs) => {
        const query = pairs.map(([name, text]) => `${name}=${text}`).join('&');
        const answer = await world.get(`/v2/markets?${query}`, key);
        const text = await answer.text();
        expect([200, 422], `${query} ${text}`).toContain(answer.status);
        JSON.parse(text);
      }),
      { numRuns: 400 },
    );
  });
});

test('a pair that appears waits for the next step, on the list', async () => {
  await list();
  await putPair(world.db.sql, { n: 99, sport: 'golf', status: 'open' });
  expect(await ids('?sport=golf')).toEqual([]);
  await world.clock.set('2026-11-20T12:00:05Z');
  expect(await ids('?sport=golf')).toEqual([99]);
});
