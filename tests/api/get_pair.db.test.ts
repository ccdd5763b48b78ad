import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

const get = (id: string, query = '') => world.get(`/v2/pairs/${id}${query}`, key);

describe('GET /v2/pairs/{market_id}', () => {
  test('returns a market with ids, depth and settlement, for either form of its id', async () => {
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

  test('returns the same row as /v2/markets', async () => {
    const list = await (await world.get('/v2/markets?include=ids,depth,settlement&market_type=all', key)).json();
    for (const row of list.markets) expect(await (await get(row.id)).json()).toEqual(row);
  });

  test('returns only the blocks that include names', async () => {
    const market = await (await get(idOf(1), '?include=ids')).json();
    expect('venues' in market && !('settlement' in market) && !('venue_a_book' in market.outcomes[0])).toBe(true);
  });

  test('returns candidates and settled markets as well', async () => {
    expect(await (await get(idOf(9))).json()).toMatchObject({ match: 'review', signal: 'spread' });
    expect(await (await get(idOf(7))).json()).toMatchObject({ status: 'settled', outcomes: [] });
  });

  test('returns a pair without prices before its first step', async () => {
    await get(idOf(1));
    await putPair(world.db.sql, { n: 50, confirmed: true });
    await putUpdate(world.db.sql, 50, { at: '2026-11-20T11:57:00Z', ask_a: [1000, 2000], ask_b: [1000, 2000] });
    expect(await (await get(idOf(50))).json()).toMatchObject({
      id: idOf(50),
      signal: 'spread',
      outcomes: [],
      spread_pts: null,
      coverage: { venue_a: false, venue_b: false },
      settlement: { parity: true },
    });
  });

  test('keeps its tag over steps until the row changes', async () => {
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

describe('an invalid request for one market', () => {
  test('returns 404 for an unknown or withdrawn market, and counts it in the window only', async () => {
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
  ])('returns 422 for the id %j', async (id) => {
    const answer = await get(id);
    expect(answer.status).toBe(422);
    const body = await answer.json();
    expect(body.detail).toMatchObject([{ loc: ['path', 'market_id'], type: 'uuid_parsing' }]);
  });

  test('returns 422 for an invalid include', async () => {
    const body = await (await get(idOf(1), '?include=all')).json();
    expect(body.detail).toMatchObject([{ loc: ['query', 'include'], type: 'enum', input: 'all' }]);
  });

  test('never returns 500 for random paths', async () => {
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
