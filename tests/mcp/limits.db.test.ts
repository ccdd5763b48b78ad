import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf } from '../api/support/catalog.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { serveApi } from '../api/support/server.ts';
import { createMcpFixture } from './support/fixture.ts';
import { callTool, mcpPath, post, request, type ToolResult } from './support/post.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createMcpFixture();
});
afterAll(() => world.close());

const setOrg = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

async function used(key: string): Promise<[window: number, month: number]> {
  const [row] = await world.db.sql<{ window_used: number; month_used: number }[]>`
    select window_used, month_used from account.usage
    where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash(${key}))`;
  return [row?.window_used ?? 0, row?.month_used ?? 0];
}

describe('the count of an MCP message', () => {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const envelope = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const modern = (method: string) => ({ 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': method });
  test.each([
    ['initialize', request('initialize', hello), {}],
    ['ping', request('ping'), {}],
    ['tools/list', request('tools/list'), {}],
    ['server/discover', request('server/discover', envelope), modern('server/discover')],
    ['tools/list of 2026-07-28', request('tools/list', envelope), modern('tools/list')],
    ['resources/read', request('resources/read', { uri: 'parallax://glossary/risks' }), {}],
    ['prompts/get', request('prompts/get', { name: 'explain_gap', arguments: { market_id: idOf(1) } }), {}],
  ])('%s counts in the window only, and succeeds when the monthly quota is used', async (_, body, headers) => {
    const key = await world.key('free');
    await setOrg(key, 'account.usage set month_used = 100000000');
    const before = await used(key);
    const answer = await post(world, key, body, headers);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ result: expect.any(Object) });
    expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=599;t=\d+, "month";r=0;t=\d+$/);
    expect(await used(key)).toEqual([before[0] + 1, before[1]]);
  });

  test.each([
    ['find_arbitrage', {}],
    ['find_markets', { q: 'lakers' }],
    ['list_markets', {}],
    ['get_market', { market_id: idOf(21) }],
    ['get_spreads', {}],
    ['list_categories', {}],
    ['watch_markets', { market_ids: [idOf(21)], seconds: 2 }],
  ])('a call of %s counts once in the window and once in the month', async (name, args) => {
    const key = await world.key('pro');
    const { answer, message } = await callTool(world, key, name, args);
    expect((message.result as ToolResult).isError).toBeFalsy();
    expect(await used(key)).toEqual([1, 1]);
    expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=1499;t=\d+, "month";r=4999999;t=\d+$/);
    expect(answer.headers.get('RateLimit-Policy')).toBe('"window";q=1500;w=60, "month";q=5000000');
  });

  test('a report, an invalid argument, an unknown market and an unknown tool do not count in the month', async () => {
    const key = await world.key('pro');
    await callTool(world, key, 'report_bad_arb', { reason: 'x' });
    await callTool(world, key, 'list_markets', { limit: 'ten' });
    await callTool(world, key, 'list_markets', { status: ['nope'] });
    await callTool(world, key, 'get_market', { market_id: idOf(999) });
    await callTool(world, key, 'watch_markets', { market_ids: [idOf(999)], seconds: 1 });
    await callTool(world, key, 'watch_markets', { market_ids: ['x'] });
    await callTool(world, key, 'no_such_tool', {});
    expect(await used(key)).toEqual([7, 0]);
  });
});

describe('a caller without access to MCP', () => {
  test.each([
    ['tools/list', {}],
    ['tools/call', { name: 'list_markets', arguments: {} }],
    [
      'tools/call',
      { name: 'watch_markets', arguments: { market_ids: [idOf(1)], seconds: 1 }, _meta: { progressToken: 1 } },
    ],
    ['tools/call', { name: 'nonsense', arguments: {} }],
  ])('gets HTTP 401 with a revoked key for %s with %j', async (method, params) => {
    const key = await world.key('free');
    await setOrg(key, 'account.keys set revoked_at = clock_timestamp()');
    const answer = await post(world, key, request(method, params));
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    expect(await answer.json()).toMatchObject({ code: 'auth.revoked_key', request_id: expect.any(String) });
  });

  test('gets 401 without a key or with a malformed one in either header, and counts nothing', async () => {
    const key = await world.key('free');
    const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const cases: [Record<string, string>, string][] = [
      [{}, 'auth.missing_key'],
      [{ 'X-API-Key': ' ' }, 'auth.missing_key'],
      [{ 'X-API-Key': flipped }, 'auth.malformed_key'],
      [{ 'X-API-Key': `Bearer ${key}` }, 'auth.malformed_key'],
      [{ Authorization: `Bearer ${flipped}`, 'X-API-Key': key }, 'auth.malformed_key'],
      [{ Authorization: 'Basic abc' }, 'auth.malformed_key'],
    ];
    for (const [headers, code] of cases) {
      const answer = await post(world, null, request('tools/list'), headers);
      expect([answer.status, (await answer.json()).code]).toEqual([401, code]);
    }
    expect(await used(key)).toEqual([0, 0]);
  });

  test('may use X-API-Key for MCP but not for REST', async () => {
    const key = await world.key('free');
    expect((await post(world, null, request('tools/list'), { 'X-API-Key': key })).status).toBe(200);
    const rest = await fetch(`${world.api.base}/v2/markets`, { headers: { 'X-API-Key': key } });
    expect(rest.status).toBe(401);
  });

  test.each([
    ['billing.inactive', "account.subscriptions set status = 'inactive'", 402, {}],
    [
      'rate.window',
      'account.usage set window_began_at = clock_timestamp(), window_used = 600',
      429,
      { retry_after: expect.any(Number), window: '60s' },
    ],
  ])(
    'gets %s as a tool error from a tool call, and as the HTTP status from other messages',
    async (code, set, status, fields) => {
      const key = await world.key('free');
      await world.get('/v1/account', key);
      await setOrg(key, set);
      for (const [name, args] of [
        ['list_markets', {}],
        ['watch_markets', { market_ids: [idOf(1)], seconds: 1 }],
        ['list_markets', { limit: 0 }],
      ] as const) {
        const { answer, message } = await callTool(world, key, name, args);
        const result = message.result as ToolResult;
        expect([answer.status, result.isError, result.structuredContent]).toEqual([200, true, undefined]);
        expect(result.content[0]?.text).toContain(`[${code}]`);
        expect(result._meta?.['parallax/error']).toMatchObject({ code, ...fields });
      }
      const listed = await post(world, key, request('tools/list'));
      expect([listed.status, (await listed.json()).code]).toEqual([status, code]);
    },
  );

  test('gets rate.quota with the reset time when the monthly quota is used, and can still report', async () => {
    const key = await world.key('free');
    await world.get('/v2/markets', key);
    await setOrg(key, 'account.usage set month_used = 10000');
    const { message } = await callTool(world, key, 'find_arbitrage', {});
    expect((message.result as ToolResult)._meta?.['parallax/error']).toMatchObject({
      code: 'rate.quota',
      resets_at: expect.any(String),
    });
    const { message: report } = await callTool(world, key, 'report_bad_arb', { reason: 'x' });
    expect((report.result as ToolResult).isError).toBeFalsy();
  });
});

test('without its database MCP reports database.unavailable: in the tool error, else as HTTP 503', async () => {
  const disconnected = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
  const offline = { ...world, api: { ...world.api, base: disconnected.base } };
  const key = await world.key();
  try {
    const tools = [
      ['list_markets', {}],
      ['list_markets', { limit: 0 }],
      ['watch_markets', { market_ids: [idOf(1)] }],
    ] as const;
    // Together, because each waits for a connection before it gives up.
    const [listed, ...called] = await Promise.all([
      post(offline, key, request('tools/list')),
      ...tools.map(([name, args]) => callTool(offline, key, name, args)),
    ]);
    expect([listed.status, (await listed.json()).code]).toEqual([503, 'database.unavailable']);
    for (const { answer, message } of called) {
      expect(answer.status).toBe(200);
      expect((message.result as ToolResult)._meta?.['parallax/error']).toMatchObject({
        code: 'database.unavailable',
        retry_after: 1,
      });
    }
  } finally {
    await disconnected.close();
  }
});

test('OPTIONS allows any origin to send the headers of the protocol', async () => {
  const answer = await fetch(world.api.base + mcpPath, { method: 'OPTIONS' });
  expect(answer.status).toBe(204);
  for (const header of [
    'Authorization',
    'X-API-Key',
    'Content-Type',
    'Mcp-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
  ]) {
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain(header);
  }
});
