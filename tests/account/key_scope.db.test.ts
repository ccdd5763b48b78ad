import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { callTool, type ToolResult } from '../mcp/support/post.ts';

// A read-only key and an expired key, over REST and MCP.
let world: ApiFixture;
let key: string;
let org: string;
let endpoint: string;
beforeAll(async () => {
  world = await createApiFixture();
  const full = await world.key('pro');
  org = await orgOf(full);
  key = await mint(org, { scope: 'read_only' });
  const [made] = await world.db.sql<{ id: string }[]>`
    select webhook.register_endpoint(${org}, 'https://hooks.example.com/in', '{pair.created}', null, 'test') ->> 'id' as id`;
  endpoint = made?.id ?? '';
});
afterAll(() => world.close());

async function orgOf(full: string): Promise<string> {
  const [row] = await world.db.sql<{ org_id: string }[]>`
    select org_id from account.keys where hash = account.key_hash(${full})`;
  return row?.org_id ?? '';
}

async function mint(id: string, { scope = 'full', expires = '1 hour' } = {}): Promise<string> {
  const [row] = await world.db.sql<{ key: string }[]>`
    select account.mint_key(${id}, 'pro', 'a key', clock_timestamp() + ${expires}::interval, ${scope}) as key`;
  return row?.key ?? '';
}

const send = (method: string, path: string, body?: object, as = key) =>
  fetch(world.api.base + path, {
    method,
    headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

const registration = { url: 'https://other.example.com/in', events: ['pair.created'] };
const writes = (): [method: string, path: string, body?: object][] => [
  ['POST', '/v1/webhooks', registration],
  ['DELETE', `/v1/webhooks/${endpoint}`],
  ['POST', `/v1/webhooks/${endpoint}/roll`],
  ['PATCH', `/v1/webhooks/${endpoint}`, { events: ['opportunity.opened'] }],
  ['POST', `/v1/webhooks/${endpoint}/test`],
  ['POST', `/v1/webhooks/${endpoint}/deliveries/${endpoint}/retry`],
  ['POST', '/v2/report-bad-arb', { reason: 'test' }],
  // Admission comes before the errors of the body and of the path.
  ['POST', '/v1/webhooks', { url: 7 }],
  ['POST', '/v2/report-bad-arb', {}],
  ['DELETE', '/v1/webhooks/x'],
];

const stored = async () => [
  await world.db.sql`select endpoint_id, url from webhook.endpoints where org_id = ${org}`,
  await world.db.sql`select count(*)::integer from arb.reports`,
];

describe('a read-only key', () => {
  test('gets 403 with its own code and the rate headers for each request that changes something', async () => {
    const before = await stored();
    for (const [method, path, body] of writes()) {
      const answer = await send(method, path, body);
      expect([answer.status, await answer.json()], `${method} ${path}`).toEqual([
        403,
        {
          code: 'auth.read_only_key',
          error: 'This key is read-only, and this request changes something. Use a key with the scope full.',
          request_id: expect.any(String),
        },
      ]);
      expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=\d+;t=\d+, "month"/);
    }
    expect(await stored()).toEqual(before);
  });

  test('gets the same code from the MCP tool that reports a bad arbitrage, and stores nothing', async () => {
    const before = await stored();
    const { answer, message } = await callTool(world, key, 'report_bad_arb', { reason: 'test' });
    const result = message.result as ToolResult;
    expect([answer.status, result.isError]).toEqual([200, true]);
    expect(result.content[0]?.text).toContain('[auth.read_only_key]');
    expect(await stored()).toEqual(before);
  });

  test('may do everything that only reads: data, account, endpoints, replay, tickets and MCP', async () => {
    for (const path of ['/v2/markets', '/v1/account', '/v1/webhooks', `/v1/webhooks/${endpoint}/deliveries`]) {
      expect((await world.get(path, key)).status, path).toBe(200);
    }
    expect((await send('POST', '/v1/stream/token')).status).toBe(200);
    const { message } = await callTool(world, key, 'list_markets', {});
    expect((message.result as ToolResult).isError).toBeFalsy();
  });

  test('is refused by the database for each route that is not in the list of reading routes', async () => {
    const refused = async (route: string) => {
      const [row] = await world.db.sql<{ writes: boolean }[]>`select api.is_write_route(${route}) as writes`;
      return row?.writes;
    };
    for (const route of [
      'get_account',
      'post_stream_token',
      'get_stream_replay',
      'get_stream_state',
      'get_endpoints',
      'get_endpoints',
      'get_deliveries',
      'mcp',
    ]) {
      expect([route, await refused(route)]).toEqual([route, false]);
    }
    for (const route of [
      'post_endpoint',
      'delete_endpoint',
      'roll_secret',
      'get_endpoint_to_change',
      'patch_endpoint',
      'test_endpoint',
      'retry_delivery',
      'get_allowed_receivers',
      'post_report',
      'a_new_route',
    ]) {
      expect([route, await refused(route)]).toEqual([route, true]);
    }
    // A route with another method is a decision to make here and in api.is_write_route.
    const others = routes.filter((route) => route.method !== 'GET').map((route) => `${route.method} ${route.path}`);
    expect(others.sort()).toEqual([
      'DELETE /v1/webhooks/:id',
      'PATCH /v1/webhooks/:id',
      'POST /v1/stream/token',
      'POST /v1/webhooks',
      'POST /v1/webhooks/:id/deliveries/:delivery_id/retry',
      'POST /v1/webhooks/:id/roll',
      'POST /v1/webhooks/:id/test',
      'POST /v2/mcp/',
      'POST /v2/report-bad-arb',
    ]);
  });
});

describe('an expired key', () => {
  test('gets 401 with its own code from the moment it expires, over REST and MCP', async () => {
    const ending = await mint(org);
    expect((await world.get('/v2/markets', ending)).status).toBe(200);
    await world.db.sql`
      update account.keys set expires_at = clock_timestamp() where hash = account.key_hash(${ending})`;
    for (const answer of [await world.get('/v2/markets', ending), await send('POST', '/v1/stream/token', {}, ending)]) {
      expect([answer.status, await answer.json(), answer.headers.get('WWW-Authenticate')]).toEqual([
        401,
        {
          code: 'auth.expired_key',
          error: 'This key has expired. Create a new key in the dashboard.',
          request_id: expect.any(String),
        },
        'Bearer',
      ]);
    }
    for (const name of ['report_bad_arb', 'list_markets']) {
      const { answer, message } = await callTool(world, ending, name, { reason: 'x' });
      expect([answer.status, message]).toMatchObject([401, { code: 'auth.expired_key' }]);
    }
  });

  test('is a revoked key where it was revoked first', async () => {
    const ended = await mint(org);
    await world.db.sql`
      update account.keys set revoked_at = clock_timestamp(), expires_at = clock_timestamp()
      where hash = account.key_hash(${ended})`;
    const answer = await world.get('/v2/markets', ended);
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'auth.revoked_key' }]);
  });
});
