import { afterAll, beforeAll, expect, test } from 'vitest';
import { putPair } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  const { sql } = world.db;
  await putPair(sql, { n: 60, sport: 'hockey', competition: 'AHL', status: 'live' });
  await putPair(sql, { n: 61, sport: 'hockey', competition: null });
  await putPair(sql, { n: 62, sport: 'golf', competition: null });
  await putPair(sql, { n: 63, sport: 'hockey', competition: 'Over', status: 'settled' });
  await putPair(sql, { n: 64, sport: 'darts', competition: 'PDC', stage: 'candidate' });
  key = await world.key();
});
afterAll(() => world.close());

const list = async (query = '') => {
  const answer = await world.get(`/v2/leagues${query}`, key);
  expect(answer.status).toBe(200);
  return await answer.json();
};

test('GET /v2/leagues returns the leagues of each sport, and counts every market as open', async () => {
  expect(await list()).toEqual({
    sports: [
      // Six published NBA pairs of the fixture are open or live.
      { sport: 'basketball', leagues: ['NBA'], count: 6, open: 6, live: 0, settled: 0 },
      { sport: 'golf', leagues: [], count: 1, open: 1, live: 0, settled: 0 },
      { sport: 'hockey', leagues: ['AHL', 'NHL'], count: 3, open: 3, live: 0, settled: 0 },
    ],
  });
});

test('GET /v2/leagues sends Deprecation and Link with 200 and 304', async () => {
  const first = await world.get('/v2/leagues', key);
  const again = await world.get('/v2/leagues', key, { 'If-None-Match': first.headers.get('ETag') ?? '' });
  expect([first.status, again.status]).toEqual([200, 304]);
  for (const { headers } of [first, again]) {
    expect(headers.get('Deprecation')).toBe('@1795132800');
    expect(headers.get('Link')).toBe('</v2/categories>; rel="successor-version"');
  }
});

test('a route that is not deprecated sends neither Deprecation nor Link', async () => {
  const answer = await world.get('/v2/categories', key);
  expect([answer.headers.get('Deprecation'), answer.headers.get('Link')]).toEqual([null, null]);
});

test('HEAD /v2/leagues sends Deprecation as well', async () => {
  const headers = { Authorization: `Bearer ${key}` };
  const head = await fetch(`${world.api.base}/v2/leagues`, { method: 'HEAD', headers });
  expect([head.status, await head.text(), head.headers.get('Deprecation')]).toEqual([200, '', '@1795132800']);
});

test.each(['?', '?sport=hockey', '?x=%zz&x=%00', "?';--"])(
  'GET /v2/leagues ignores all parameters: %s',
  async (query) => {
    expect(await list(query)).toEqual(await list());
  },
);
