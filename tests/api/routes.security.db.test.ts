import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import { idOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
  // A published day without files, which needs no Storage.
  await world.db.sql`insert into export.days (day, published_at) values ('2026-11-19', clock_timestamp())`;
});
afterAll(() => world.close());

// tests/webhook/rest_manage.db.test.ts has the history of an endpoint, which each organization has.
const keyRoutes = routes.filter((route) => !route.isPublic && route.method === 'GET' && !route.path.includes(':id'));
// `valid`: a query that returns 200. `invalid`: a query that returns 422; null for a route without
// parameters. `counts: 'window'`: the route has no market data, so it does not count in the month
// and works when the month is used. `tier`: the lowest tier with the route. `otherMethods`: further
// methods of its path.
type RouteCase = {
  valid: string;
  invalid: string | null;
  counts?: 'window';
  tier?: 'free' | 'basic' | 'pro';
  otherMethods?: string[];
};
const cases: Record<string, RouteCase> = {
  '/v1/account': { valid: '', invalid: null, counts: 'window' },
  '/v1/stream/replay': { valid: '?channel=status', invalid: '?channel=status&after=x', counts: 'window' },
  '/v1/stream/state': { valid: '?channel=status', invalid: '?channel=', counts: 'window' },
  '/v1/webhooks': { valid: '', invalid: null, counts: 'window', tier: 'basic', otherMethods: ['POST'] },
  '/v2/arbitrage': { valid: '', invalid: '?limit=0' },
  '/v2/arbitrage/history': { valid: '', invalid: '?limit=0' },
  '/v2/categories': { valid: '', invalid: null },
  '/v2/coverage': { valid: '', invalid: null },
  '/v2/pairs/:market_id/explanation': { valid: '', invalid: null },
  '/v2/export/:day': { valid: '', invalid: '?format=csv', counts: 'window', tier: 'pro' },
  '/v2/pairs/:market_id/history': { valid: '', invalid: '?from=nonsense' },
  '/v2/leagues': { valid: '', invalid: null },
  '/v2/lookup': { valid: '?id=KX-1-home', invalid: '?id=' },
  '/v2/rules': { valid: '', invalid: '?limit=0' },
  '/v2/search': { valid: '?q=title', invalid: '?q=title&page=0' },
  '/v2/spreads': { valid: '', invalid: '?limit=0' },
};
const at = (path: string) => `${world.api.base}${path.replace(':market_id', idOf(1)).replace(':day', '2026-11-19')}`;
const setOrg = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

// Each route that needs a key passes all of these tests. A new route joins through the table of
// routes.
describe.each(keyRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  const routeCase: RouteCase = cases[route.path] ?? { valid: '', invalid: '?include=nonsense' };
  const { valid, invalid, counts, tier = 'free', otherMethods = [] } = routeCase;
  const queries = invalid === null ? [valid] : [valid, invalid];
  const call = (headers: Record<string, string> = {}, query = valid) =>
    fetch(at(route.path) + query, { method: route.method, headers });
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

  test('returns 401 without a key, with the scheme in WWW-Authenticate', async () => {
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

  test('returns 401 for a malformed key, before any query', async () => {
    const key = await world.key();
    const calls = async () => {
      const [row] = await world.db.sql<{ n: string }[]>`select sum(window_used)::text as n from account.usage`;
      return row?.n;
    };
    const before = await calls();
    const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const malformed of [
      `Basic ${key}`,
      `Bearer ${flipped}`,
      `Bearer ${key}x`,
      `Bearer ${key} ${key}`,
      `Bearer ${key.toLowerCase()}`,
      'Bearer sk_live_',
      "Bearer ' or 1=1 --",
      key,
    ]) {
      const answer = await call({ Authorization: malformed });
      expect(answer.status).toBe(401);
      expect((await answer.json()).code).toBe('auth.malformed_key');
    }
    expect(await calls()).toBe(before);
  });

  test('returns 401 for a revoked key at the next request', async () => {
    const key = await world.key();
    expect((await call(bearer(key))).status).toBe(200);
    await setOrg(key, 'account.keys set revoked_at = clock_timestamp()');
    const answer = await call(bearer(key));
    expect([answer.status, (await answer.json()).code]).toEqual([401, 'auth.revoked_key']);
    expect(answer.headers.get('RateLimit')).toBeNull();
  });

  test('returns 402 while the plan is inactive, for valid and invalid queries', async () => {
    const key = await world.key();
    await setOrg(key, `account.subscriptions set status = 'inactive'`);
    for (const query of queries) {
      const answer = await call(bearer(key), query);
      const { code, error } = await answer.json();
      expect([answer.status, code]).toEqual([402, 'billing.inactive']);
      // Only the operator changes plans; the dashboard cannot (docs/billing.md).
      expect(error).toMatch(/Ask the operator of this service/);
      expect(error).not.toMatch(/dashboard|renew/i);
      expect(answer.headers.get('RateLimit-Policy')).toBe('"window";q=1500;w=60, "month";q=5000000');
    }
  });

  test('returns 429 with retry_after when the window is full, before 422', async () => {
    const key = await world.key(tier);
    const quota = tier === 'pro' ? 1500 : 600;
    await setOrg(key, `account.usage set window_began_at = clock_timestamp(), window_used = ${quota}`);
    for (const query of queries) {
      const answer = await call(bearer(key), query);
      const body = await answer.json();
      expect(answer.status).toBe(429);
      expect(body).toMatchObject({ code: 'rate.window', tier, quota, count: quota, window: '60s' });
      expect(body.retry_after).toBeGreaterThan(50);
      expect(answer.headers.get('Retry-After')).toBe(String(body.retry_after));
      expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=0;t=\d+, "month";r=\d+;t=\d+$/);
    }
  });

  // Only for routes that count in the month.
  const monthTest = counts === 'window' ? () => {} : test;

  monthTest('returns 429 without Retry-After when the month is used, before 422', async () => {
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

  monthTest('counts data in window and month, and 304 and 422 in the window only', async () => {
    const key = await world.key('free');
    const left = (answer: Response) =>
      /"window";r=(\d+);t=\d+, "month";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.slice(1);
    const first = await call(bearer(key));
    expect(first.headers.get('RateLimit-Policy')).toBe('"window";q=600;w=60, "month";q=10000');
    expect(left(first)).toEqual(['599', '9999']);
    const second = await call({ ...bearer(key), 'If-None-Match': first.headers.get('ETag') ?? '' });
    expect(second.status).toBe(304);
    expect(left(second)).toEqual(['598', '9999']);
    if (invalid !== null) {
      const third = await call(bearer(key), invalid);
      expect(third.status).toBe(422);
      expect(left(third)).toEqual(['597', '9999']);
    }
    expect(left(await call(bearer(key)))).toEqual([invalid === null ? '597' : '596', '9998']);
  });

  test('returns 405 with Allow for other methods, and 204 for OPTIONS without a key', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'].filter((one) => !otherMethods.includes(one))) {
      const answer = await fetch(at(route.path), { method });
      expect([answer.status, (await answer.json()).code]).toEqual([405, 'method.not_allowed']);
      expect(answer.headers.get('Allow')).toBe([...otherMethods, 'GET', 'HEAD', 'OPTIONS'].join(', '));
    }
    const options = await fetch(at(route.path), { method: 'OPTIONS' });
    expect([options.status, await options.text()]).toEqual([204, '']);
    expect(options.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(options.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    expect(options.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });
});

test('the security tests cover every GET route that needs a key', () => {
  expect(keyRoutes.map((route) => route.path).sort()).toEqual([
    '/v1/account',
    '/v1/stream/replay',
    '/v1/stream/state',
    '/v1/webhooks',
    '/v2/arbitrage',
    '/v2/arbitrage/history',
    '/v2/categories',
    '/v2/coverage',
    '/v2/export/:day',
    '/v2/leagues',
    '/v2/lookup',
    '/v2/markets',
    '/v2/pairs/:market_id',
    '/v2/pairs/:market_id/explanation',
    '/v2/pairs/:market_id/history',
    '/v2/rules',
    '/v2/search',
    '/v2/spreads',
  ]);
});

test('exactly 20 of 50 concurrent requests over two isolates pass when 20 remain in the window', async () => {
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
