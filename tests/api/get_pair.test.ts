import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePair, idOf, putFrame, putPair, uuidOf } from './support/catalog.ts';
import { makeWorld, type World } from './support/fixture.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await makeWorld();
  key = await world.key();
});
afterAll(() => world.close());

const get = (id: string, query = '') => world.get(`/v2/pairs/${id}${query}`, key);

describe('happy', () => {
  test('one Market with ids, depth and settlement, by either form of its id', async () => {
    const market = await (await get(idOf(1))).json();
    expect(market).toMatchObject({
      id: idOf(1),
      venues: { venue_a: { event_ticker: 'KXEVENT-1' } },
      confidence: { entity: 0.99, resolution: 0.97 },
      settlement: { parity: true, risks: [], verdict: null },
      outcomes: [{ venue_a: 0.4, venue_a_book: { ask: 0.4, ticker: 'KX-1-home' } }, {}],
    });
    expect(await (await get(uuidOf(1))).json()).toEqual(market);
    expect(await (await get(idOf(1).toUpperCase().replace('MKT', 'mkt'))).json()).toEqual(market);
  });

  test('is the row that the list shows', async () => {
    const list = await (await world.get('/v2/markets?include=ids,depth,settlement&market_type=all', key)).json();
    for (const row of list.markets) expect(await (await get(row.id)).json()).toEqual(row);
  });

  test('include may name less', async () => {
    const market = await (await get(idOf(1), '?include=ids')).json();
    expect('venues' in market && !('settlement' in market) && !('venue_a_book' in market.outcomes[0])).toBe(true);
  });

  test('candidates and settled rows have a page too', async () => {
    expect(await (await get(idOf(9))).json()).toMatchObject({ match: 'review', signal: 'spread' });
    expect(await (await get(idOf(7))).json()).toMatchObject({ status: 'settled', outcomes: [] });
  });

  test('a pair that no step has shown is there without prices', async () => {
    await get(idOf(1));
    await putPair(world.db.sql, { n: 50, confirmed: true });
    await putFrame(world.db.sql, 50, { at: '2026-11-20T11:57:00Z', ask_a: [1000, 2000], ask_b: [1000, 2000] });
    expect(await (await get(idOf(50))).json()).toMatchObject({
      id: idOf(50),
      signal: 'spread',
      outcomes: [],
      spread_pts: null,
      coverage: { venue_a: false, venue_b: false },
      settlement: { parity: true },
    });
  });

  test('its tag holds as long as the row does, over steps', async () => {
    const first = await get(idOf(2));
    const tag = first.headers.get('ETag') ?? '';
    await world.clock.set('2026-11-20T12:00:05Z');
    const same = await world.get(`/v2/pairs/${idOf(2)}`, key, { 'If-None-Match': tag });
    expect([same.status, same.headers.get('X-As-Of')]).toEqual([304, '2026-11-20T11:58:05.000Z']);
    await changePair(world.db.sql, 2, { title: 'Renamed' });
    await world.clock.set('2026-11-20T12:00:10Z');
    const changed = await world.get(`/v2/pairs/${idOf(2)}`, key, { 'If-None-Match': tag });
    expect([changed.status, (await changed.json()).title]).toEqual([200, 'Renamed']);
  });
});

describe('error', () => {
  test('404 for an id that is unknown or withdrawn; it counts in the window alone', async () => {
    const before = await get(idOf(1));
    const answer = await get(idOf(4711));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      error: expect.any(String),
      code: 'pair.not_found',
      request_id: expect.any(String),
    });
    const month = (headers: Headers) => /"month";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1];
    expect(month(answer.headers)).toBe(month(before.headers));
    await putPair(world.db.sql, { n: 60 });
    await changePair(world.db.sql, 60, { withdrawn_at: '2026-11-20T12:00:00Z', withdrawn_code: 'test' });
    expect((await get(idOf(60))).status).toBe(404);
  });

  test.each([
    'x',
    'mkt_',
    'mkt_1',
    `MKT_${uuidOf(1)}`,
    `${uuidOf(1)}0`,
    '%00',
    '%zz',
    `'or''='`,
    'null',
    'mkt_mkt_',
    '%F0%9F%98%80',
    `${uuidOf(1)}%0A`,
  ])('%j is no id: 422', async (id) => {
    const answer = await get(id);
    expect(answer.status).toBe(422);
    const body = await answer.json();
    expect(body.detail).toMatchObject([{ loc: ['path', 'market_id'], type: 'uuid_parsing' }]);
  });

  test('422 for a bad include', async () => {
    const body = await (await get(idOf(1), '?include=all')).json();
    expect(body.detail).toMatchObject([{ loc: ['query', 'include'], type: 'enum', input: 'all' }]);
  });

  test('nothing that anybody puts into the path is a 500', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.constantFrom('%', '%2', '%2e%2e', '..', '%2F', '%5C', ':market_id', '*', '%00', uuidOf(1)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 2 }), async (pieces) => {
        const answer = await get(pieces.join(''));
        await answer.arrayBuffer();
        expect([200, 404, 422], pieces.join('')).toContain(answer.status);
      }),
      { numRuns: 150 },
    );
  });
});
