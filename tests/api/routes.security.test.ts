import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import { idOf } from './support/catalog.ts';
import { makeWorld, type World } from './support/fixture.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const closed = routes.filter((route) => !route.isPublic && route.method === 'GET');
// What a route must be asked to answer 200, and what it answers 422 to: a route without parameters has nothing to refuse.
// `spends: 'window'`: it carries no data of the markets, so it takes nothing of the month and works when that is used up.
// `tier`: the lowest that has the route; `beside`: what else answers at its path.
type Asked = { fine: string; wrong: string | null; spends?: 'window'; tier?: 'free' | 'basic'; beside?: string[] };
const asked: Record<string, Asked> = {
  '/v1/account': { fine: '', wrong: null, spends: 'window' },
  '/v1/stream/replay': { fine: '?channel=status', wrong: '?channel=status&after=x', spends: 'window' },
  '/v1/webhooks': { fine: '', wrong: null, spends: 'window', tier: 'basic', beside: ['POST'] },
  '/v2/arbitrage': { fine: '', wrong: '?limit=0' },
  '/v2/categories': { fine: '', wrong: null },
  '/v2/coverage': { fine: '', wrong: null },
  '/v2/pairs/:market_id/history': { fine: '', wrong: '?from=nonsense' },
  '/v2/leagues': { fine: '', wrong: null },
  '/v2/search': { fine: '?q=title', wrong: '?q=title&page=0' },
  '/v2/spreads': { fine: '', wrong: '?limit=0' },
};
const at = (path: string) => `${world.api.base}${path.replace(':market_id', idOf(1))}`;
const setOrg = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

// Every route that needs a key passes all of these; a new one is found in the table of routes.
describe.each(closed.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  const told: Asked = asked[route.path] ?? { fine: '', wrong: '?include=nonsense' };
  const { fine, wrong: bad, spends, tier = 'free', beside = [] } = told;
  const queries = bad === null ? [fine] : [fine, bad];
  const call = (headers: Record<string, string> = {}, query = fine) =>
    fetch(at(route.path) + query, { method: route.method, headers });
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

  test('401 without a key, with the scheme that it wants', async () => {
    for (const headers of [{}, { Authorization: '' }, { Authorization: 'Bearer' }, { Authorization: 'Bearer   ' }]) {
      const answer = await call(headers as Record<string, string>);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(await answer.json()).toMatchObject({
        code: 'auth.missing_key',
        error: expect.any(String),
        request_id: expect.any(String),
      });
    }
  });

  test('401 for what cannot be a key, without a query', async () => {
    const key = await world.key();
    const calls = async () => {
      const [row] = await world.db.sql<{ n: string }[]>`select sum(window_used)::text as n from account.usage`;
      return row?.n;
    };
    const before = await calls();
    const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const wrong of [
      `Basic ${key}`,
      `Bearer ${flipped}`,
      `Bearer ${key}x`,
      `Bearer ${key} ${key}`,
      `Bearer ${key.toLowerCase()}`,
      'Bearer sk_live_',
      "Bearer ' or 1=1 --",
      key,
    ]) {
      const answer = await call({ Authorization: wrong });
      expect(answer.status).toBe(401);
      expect((await answer.json()).code).toBe('auth.malformed_key');
    }
    expect(await calls()).toBe(before);
  });

  test('401 for a key that was revoked, at the next request', async () => {
    const key = await world.key();
    expect((await call(bearer(key))).status).toBe(200);
    await setOrg(key, 'account.keys set revoked_at = clock_timestamp()');
    const answer = await call(bearer(key));
    expect([answer.status, (await answer.json()).code]).toEqual([401, 'auth.revoked_key']);
    expect(answer.headers.get('RateLimit')).toBeNull();
  });

  test('402 while the subscription is inactive, 422 or not', async () => {
    const key = await world.key();
    await setOrg(key, `account.subscriptions set status = 'inactive'`);
    for (const query of queries) {
      const answer = await call(bearer(key), query);
      const { code, error } = await answer.json();
      expect([answer.status, code]).toEqual([402, 'billing.inactive']);
      // Nothing can be renewed in the dashboard: only the operator changes plans (docs/billing.md).
      expect(error).toMatch(/Ask the operator of this service/);
      expect(error).not.toMatch(/dashboard|renew/i);
      expect(answer.headers.get('RateLimit-Policy')).toBe('"window";q=1500;w=60, "month";q=5000000');
    }
  });

  test('429 at the end of the window, before 422, with what a client needs to wait', async () => {
    const key = await world.key(tier);
    await setOrg(key, 'account.usage set window_began_at = clock_timestamp(), window_used = 600');
    for (const query of queries) {
      const answer = await call(bearer(key), query);
      const body = await answer.json();
      expect(answer.status).toBe(429);
      expect(body).toMatchObject({ code: 'rate.window', tier, quota: 600, count: 600, window: '60s' });
      expect(body.retry_after).toBeGreaterThan(50);
      expect(answer.headers.get('Retry-After')).toBe(String(body.retry_after));
      expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=0;t=\d+, "month";r=\d+;t=\d+$/);
    }
  });

  // Routes that spend no month have no end of it.
  const ofMonth = spends === 'window' ? () => {} : test;

  ofMonth('429 at the end of the month, before 422, without Retry-After', async () => {
    const key = await world.key('free');
    await setOrg(key, 'account.usage set month_used = 10000');
    for (const query of queries) {
      const answer = await call(bearer(key), query);
      const body = await answer.json();
      expect(answer.status).toBe(429);
      expect(body).toMatchObject({ code: 'rate.quota', tier: 'free', quota: 10000, count: 10000, window: 'month' });
      expect(body.resets_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
      expect(Math.abs(Date.parse(body.resets_at) - Date.now() - body.retry_after * 1000)).toBeLessThan(5000);
      expect(answer.headers.get('Retry-After')).toBeNull();
    }
  });

  ofMonth('counts: data spends both, 304 and 422 the window alone', async () => {
    const key = await world.key('free');
    const left = (answer: Response) =>
      /"window";r=(\d+);t=\d+, "month";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.slice(1);
    const first = await call(bearer(key));
    expect(first.headers.get('RateLimit-Policy')).toBe('"window";q=600;w=60, "month";q=10000');
    expect(left(first)).toEqual(['599', '9999']);
    const second = await call({ ...bearer(key), 'If-None-Match': first.headers.get('ETag') ?? '' });
    expect(second.status).toBe(304);
    expect(left(second)).toEqual(['598', '9999']);
    if (bad !== null) {
      const third = await call(bearer(key), bad);
      expect(third.status).toBe(422);
      expect(left(third)).toEqual(['597', '9999']);
    }
    expect(left(await call(bearer(key)))).toEqual([bad === null ? '597' : '596', '9998']);
  });

  test('other methods are 405 with Allow, OPTIONS is 204 without a key', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'].filter((one) => !beside.includes(one))) {
      const answer = await fetch(at(route.path), { method });
      expect([answer.status, (await answer.json()).code]).toEqual([405, 'method.not_allowed']);
      expect(answer.headers.get('Allow')).toBe([...beside, 'GET', 'HEAD', 'OPTIONS'].join(', '));
    }
    const options = await fetch(at(route.path), { method: 'OPTIONS' });
    expect([options.status, await options.text()]).toEqual([204, '']);
    expect(options.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(options.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    expect(options.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });
});

test('every closed route is in the battery', () => {
  expect(closed.map((route) => route.path).sort()).toEqual([
    '/v1/account',
    '/v1/stream/replay',
    '/v1/webhooks',
    '/v2/arbitrage',
    '/v2/categories',
    '/v2/coverage',
    '/v2/leagues',
    '/v2/markets',
    '/v2/pairs/:market_id',
    '/v2/pairs/:market_id/history',
    '/v2/search',
    '/v2/spreads',
  ]);
});

test('50 requests at once through two isolates with room for 20: exactly 20 pass', async () => {
  const key = await world.key('free');
  await setOrg(key, 'account.usage set window_began_at = clock_timestamp(), window_used = 580');
  const { serveApi } = await import('./support/server.ts');
  const second = await serveApi(world.db.url('parallax_api'));
  try {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const base = i % 2 ? second.base : world.api.base;
        const answer = await fetch(`${base}/v2/markets?limit=${1 + (i % 3)}`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  } finally {
    await second.close();
  }
});
