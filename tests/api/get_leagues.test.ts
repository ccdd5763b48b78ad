import { afterAll, beforeAll, expect, test } from 'vitest';
import { putPair } from './support/catalog.ts';
import { makeWorld, type World } from './support/fixture.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await makeWorld();
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

test('the leagues of each sport that is on; rows without one count, and everything counts as open', async () => {
  expect(await list()).toEqual({
    sports: [
      // Six of the world's pairs of the NBA are open or live and published.
      { sport: 'basketball', leagues: ['NBA'], count: 6, open: 6, live: 0, settled: 0 },
      { sport: 'golf', leagues: [], count: 1, open: 1, live: 0, settled: 0 },
      { sport: 'hockey', leagues: ['AHL', 'NHL'], count: 3, open: 3, live: 0, settled: 0 },
    ],
  });
});

test('200 and 304 say since when the route is deprecated and what comes after it', async () => {
  const first = await world.get('/v2/leagues', key);
  const again = await world.get('/v2/leagues', key, { 'If-None-Match': first.headers.get('ETag') ?? '' });
  expect([first.status, again.status]).toEqual([200, 304]);
  for (const { headers } of [first, again]) {
    expect(headers.get('Deprecation')).toBe('@1795132800');
    expect(headers.get('Link')).toBe('</v2/categories>; rel="successor-version"');
  }
});

test('what is not deprecated does not say so', async () => {
  const answer = await world.get('/v2/categories', key);
  expect([answer.headers.get('Deprecation'), answer.headers.get('Link')]).toEqual([null, null]);
});

test('gzip and HEAD carry the same signs', async () => {
  const headers = { Authorization: `Bearer ${key}` };
  const head = await fetch(`${world.api.base}/v2/leagues`, { method: 'HEAD', headers });
  expect([head.status, await head.text(), head.headers.get('Deprecation')]).toEqual([200, '', '@1795132800']);
});

test.each(['?', '?sport=hockey', '?x=%zz&x=%00', "?';--"])('there are no parameters: %s', async (query) => {
  expect(await list(query)).toEqual(await list());
});
