import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { idOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

// The leased answers of one isolate over a real database, next to those that the database counts.

let world: ApiFixture;
let key: string;
let exact: string;
let org: string;
beforeAll(async () => {
  world = await createApiFixture();
  await world.db.sql`update account.tiers set window_requests = 60000, month_requests = 900000 where tier = 'pro'`;
});
afterAll(() => world.close());
beforeEach(async () => {
  exact = await world.key();
  key = await world.key();
  const [row] = await world.db.sql<{ org_id: string }[]>`
    select org_id from account.keys where hash = account.key_hash(${key})`;
  org = row?.org_id ?? '';
  await world.db.sql`select account.set_lease_percent(${org}, 10)`;
});

const path = '/v2/markets?limit=3';
const get = (headers: Record<string, string> = {}, at = path) => world.get(at, key, headers);
const leasesOfOrg = async (): Promise<number> =>
  (await world.db.sql`select from account.request_leases where org_id = ${org}`).length;
const usage = async () => {
  const [row] = await world.db.sql<{ window_used: number; month_used: number }[]>`
    select window_used, month_used from account.usage where org_id = ${org}`;
  return { ...row };
};
/** Sends requests until this isolate holds a lease and a current body. Returns how many. */
async function untilLeased(at = path): Promise<number> {
  let sent = 0;
  await waitUntil(
    async () => {
      await Promise.all(Array.from({ length: 20 }, () => get({}, at)));
      sent += 20;
      return (await leasesOfOrg()) > 0;
    },
    { what: 'the isolate holds a lease' },
  );
  return sent;
}
const untilReturned = () => waitUntil(async () => (await leasesOfOrg()) === 0, { what: 'the lease is returned' });

describe('a key with a lease', () => {
  test('gets the same response as another key, and its own rate state', async () => {
    await untilLeased();
    const [leased, counted] = [await get(), await world.get(path, exact)];
    expect(await leased.text()).toBe(await counted.text());
    for (const name of ['ETag', 'Vary', 'X-As-Of', 'Content-Type', 'RateLimit-Policy', 'Access-Control-Allow-Origin']) {
      expect([name, leased.headers.get(name)]).toEqual([name, counted.headers.get(name)]);
    }
    expect(leased.headers.get('Cache-Control')).toMatch(/^private, max-age=[45]$/);
    expect(leased.headers.get('RateLimit')).toMatch(/^"window";r=59\d{3};t=(59|60), "month";r=899\d{3};t=\d+$/);
  });

  test('makes no call for a request, and its counts are exact when the lease is returned', async () => {
    let sent = 0;
    await waitUntil(
      async () => {
        sent += await untilLeased();
        const before = await usage();
        sent += 10;
        for (let n = 0; n < 10; n += 1) expect((await get()).status).toBe(200);
        const after = await usage();
        return after.window_used === before.window_used && after.month_used === before.month_used;
      },
      { what: 'ten requests change no count' },
    );
    await untilReturned();
    expect(await usage()).toEqual({ window_used: sent, month_used: sent });
  });

  test('uses the window only for a 304 and a HEAD, which differ from the counted ones in nothing else', async () => {
    const before = await untilLeased();
    const etag = (await get()).headers.get('ETag') ?? '';
    const unchanged = await get({ 'If-None-Match': etag });
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get('ETag')]).toEqual([304, '', etag]);
    expect((await get({ 'If-None-Match': '*' })).status).toBe(304);
    const head = await fetch(world.api.base + path, { method: 'HEAD', headers: { Authorization: `Bearer ${key}` } });
    expect([head.status, Number(head.headers.get('Content-Length')) > 100]).toEqual([200, true]);
    await untilReturned();
    expect(await usage()).toEqual({ window_used: before + 4, month_used: before + 1 });
  });

  test.each([
    [path, '05'],
    [`/v2/pairs/${idOf(2)}`, '10'],
  ])(
    'gets the new step of %s within about a second, also where the clock of the markets jumps to :%s',
    async (at, second) => {
      await untilLeased(at);
      const asOf = async () => {
        const responses = await Promise.all(Array.from({ length: 20 }, () => get({}, at)));
        return new Set(responses.map((response) => response.headers.get('X-As-Of')));
      };
      await world.clock.set(`2026-11-20T12:00:${second}Z`);
      const isNew = async () => [...(await asOf())].join() === `2026-11-20T11:58:${second}.000Z`;
      await waitUntil(isNew, { what: 'the new step', timeoutMs: 2_500 });
    },
  );

  test.each([`/v2/pairs/${idOf(1)}`, '/v2/rules', '/v2/coverage'])(
    'gets %s from the cache, until a second after the database confirmed it',
    async (at) => {
      await untilLeased(at);
      const leased = await get({}, at);
      expect(leased.status).toBe(200);
      expect(await leased.text()).toBe(await (await world.get(at, exact)).text());
    },
  );

  test('is rejected within about a second after it is revoked, or its plan ends', async () => {
    await untilLeased();
    await world.db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org}`;
    const statusBecomes = (status: number) =>
      waitUntil(async () => (await get()).status === status, { what: `status ${status}`, timeoutMs: 2_000 });
    await statusBecomes(402);
    await world.db.sql`update account.subscriptions set status = 'active' where org_id = ${org}`;
    await statusBecomes(200);
    await untilLeased();
    await world.db.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org}`;
    await statusBecomes(401);
  });

  test('gets the errors of its parameters from the database, counted', async () => {
    await untilLeased();
    expect((await get({}, '/v2/markets?limit=0')).status).toBe(422);
    expect((await get({}, '/v2/pairs/mkt_00000000-0000-4000-8000-0000000fffff')).status).toBe(404);
    expect((await get({}, '/v2/account')).status).toBe(404);
  });

  test('is counted by the database again when leases are turned off', async () => {
    await untilLeased();
    await world.db.sql`select account.set_lease_percent(${org}, 0)`;
    await untilReturned();
    await get();
    const before = await usage();
    await Promise.all(Array.from({ length: 40 }, () => get()));
    expect(await usage()).toEqual({
      window_used: (before.window_used ?? 0) + 40,
      month_used: (before.month_used ?? 0) + 40,
    });
    expect(await leasesOfOrg()).toBe(0);
  });
});

test('a key whose organization takes no leases is counted by the database with each request', async () => {
  await world.db.sql`select account.set_lease_percent(${org}, 0)`;
  await Promise.all(Array.from({ length: 60 }, () => get()));
  expect(await usage()).toEqual({ window_used: 60, month_used: 60 });
  expect(await leasesOfOrg()).toBe(0);
});

test('the routes that one position of the snapshot confirms have its version, and the others have their own', async () => {
  const { sql } = world.db;
  const routes = [
    ...['get_markets', 'get_arbitrage', 'get_arbitrage_history', 'get_spreads'],
    ...['get_search', 'get_lookup', 'get_categories', 'get_leagues'],
  ];
  const versionOf = async (route: string, params: Record<string, string | number | boolean | string[]>) => {
    const [row] = await sql<{ version: string }[]>`
      select version from api.call_data_route(account.key_hash(${exact}), ${route}, ${sql.json(params)}, false, null, '{}')`;
    return row?.version;
  };
  const common = { status: ['open'], sort: 'start_time', include: [], page: 1, page_size: 5, limit: 5, min_gap: 0 };
  const [state] = await sql<{ version: string }[]>`select version from price.snapshot_state`;
  for (const route of routes) {
    expect([route, await versionOf(route, { ...common, has_history: false, view: 'x', q: 'title', ids: [] })]).toEqual([
      route,
      state?.version,
    ]);
  }
  expect(await versionOf('get_pair', { id: idOf(1).slice(4), include: [] })).not.toBe(state?.version);
});
