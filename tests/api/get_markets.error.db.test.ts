import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { type ApiFixture, createApiFixture, liftLimits } from './support/fixture.ts';
import { anyQueryValue } from './support/hostile.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  await liftLimits(world.db.sql);
  key = await world.key();
});
afterAll(() => world.close());

describe('an invalid request for /v2/markets', () => {
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
    ['status=open&status=opened', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    ['status=open&status=%00', 'value_error', 'status', {}],
    ['include[]=ids&include=x', 'enum', 'include', { expected: "'ids', 'depth', 'settlement', 'best' or 'total'" }],
    ['signal=arb', 'enum', 'signal', { expected: "'spread' or 'candidates'", use: '/v2/arbitrage' }],
    ['signal=ARB', 'enum', 'signal', { expected: "'spread' or 'candidates'", use: '/v2/arbitrage' }],
    ['signal=constructor', 'enum', 'signal', { expected: "'spread' or 'candidates'" }],
    ['sort=spread_pts', 'enum', 'sort', { expected: "'start_time', '-start_time' or '-spread_pts'" }],
    ['include=ids,prices', 'enum', 'include', { expected: "'ids', 'depth', 'settlement', 'best' or 'total'" }],
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
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    const answer = await world.get(`/v2/markets?${query}`, key, { 'X-Request-Id': 'r1' });
    const body = await answer.json();
    expect(answer.status).toBe(422);
    expect(body).toEqual({
      error: expect.stringMatching(new RegExp(`^${name}: .+\\.$`)),
      code: 'validation',
      detail: [{ loc: ['query', name], msg: expect.any(String), type, input: expect.any(String), ctx }],
      request_id: 'r1',
    });
  });

  test('returns all issues at once, each with its location', async () => {
    const body = await (await world.get('/v2/markets?limit=0&page=x&status=a&sport=%00', key)).json();
    expect(body.detail.map((found: { loc: string[] }) => found.loc[1]).sort()).toEqual([
      'limit',
      'page',
      'sport',
      'status',
    ]);
  });

  test('returns 422 for a cursor with another sort or filter, a forged cursor, and a cursor with page', async () => {
    const { next_cursor: cursor } = await (await world.get('/v2/markets?limit=1', key)).json();
    expect((await world.get(`/v2/markets?limit=2&include=ids&cursor=${cursor}`, key)).status).toBe(200);
    const forge = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const [view, sortKey, id, change] = JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString());
    for (const query of [
      `sort=-start_time&cursor=${cursor}`,
      `sport=hockey&cursor=${cursor}`,
      `page=2&cursor=${cursor}`,
      `cursor=${cursor}x`,
      `cursor=${forge([view, sortKey, 'x', change])}`,
      `cursor=${forge([view, "1'", id, change])}`,
      `cursor=${forge([view, null, id, change])}`,
      `cursor=${forge([view, '9'.repeat(18), id, change])}`,
      `cursor=${forge([view, { a: 1 }, id, change])}`,
      `cursor=${forge({ view })}`,
      `cursor=${forge([view, sortKey, id])}`,
      `cursor=${forge([view, sortKey, id, change, 1])}`,
    ]) {
      expect((await world.get(`/v2/markets?${query}`, key)).status, query).toBe(422);
    }
    expect((await world.get(`/v2/markets?cursor=${forge([view, '9'.repeat(17), id, change])}`, key)).status).toBe(200);
    expect((await world.get(`/v2/markets?cursor=${forge([view, `-${'9'.repeat(17)}`, id, change])}`, key)).status).toBe(
      200,
    );
  });

  test('never returns 500 for random query values', async () => {
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
      ...['min_gap', 'starts_after', 'starts_before', 'updated_since', 'ids'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, anyQueryValue), { maxLength: 5 }), async (pairs) => {
        const query = pairs.map(([name, text]) => `${name}=${text}`).join('&');
        const answer = await world.get(`/v2/markets?${query}`, key);
        const text = await answer.text();
        expect([200, 422], `${query} ${text}`).toContain(answer.status);
        JSON.parse(text);
      }),
      { numRuns: runs(150) },
    );
  });
});
