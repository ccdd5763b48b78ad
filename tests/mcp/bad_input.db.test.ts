import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { idOf } from '../api/support/catalog.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { runs } from '../support/runs.ts';
import { createMcpFixture } from './support/fixture.ts';
import { callTool, type Message, mcpPath, post, request, type ToolResult } from './support/post.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key('pro');
});
afterAll(() => world.close());

describe('an invalid MCP message', () => {
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  test.each<[string, string, number, number]>([
    ['not JSON', '{"jsonrpc": "2.0", ', 400, -32700],
    ['empty', '', 400, -32700],
    ['a text with NUL', request('tools/call', { name: 'find_markets', arguments: { q: '\0' } }), 400, -32700],
    [
      'a text with a lone surrogate',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_markets","arguments":{"q":"\\ud800"}}}',
      400,
      -32700,
    ],
    ['nested too deep', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${deep}}}`, 400, -32700],
    ['a batch', `[${request('tools/list')},${request('ping', {}, 2)}]`, 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['a number', '7', 400, -32600],
    ['null', 'null', 400, -32600],
  ])('is a protocol error when the body is %s', async (_, body, status, code) => {
    const answer = await post(world, key, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
  });

  test.each<[string, string]>([
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['no fields', '{}'],
  ])('is rejected with 400 when it has %s', async (_, body) => {
    const answer = await post(world, key, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  });

  test('returns 413 for a body over 64 KiB', async () => {
    const answer = await post(
      world,
      key,
      request('tools/call', { name: 'find_markets', arguments: { q: 'x'.repeat(70_000) } }),
    );
    expect([answer.status, (await answer.json()).code]).toEqual([413, 'body.too_large']);
  });

  test.each<[string, Record<string, string>, number]>([
    ['an Accept without event streams', { Accept: 'application/json' }, 406],
    ['an Accept of something else', { Accept: 'text/html' }, 406],
    ['another content type', { 'Content-Type': 'text/plain' }, 415],
    ['an unknown revision', { 'Mcp-Protocol-Version': '1999-01-01' }, 400],
    ['headers of 2026-07-28 and a message of 2025', { 'Mcp-Protocol-Version': '2026-07-28' }, 400],
  ])('is rejected when the request has %s', async (_, headers, status) => {
    const answer = await post(world, key, request('tools/list'), headers);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH'])('returns 405 for %s, because there are no sessions', async (method) => {
    const answer = await fetch(world.api.base + mcpPath, {
      method,
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/event-stream' },
    });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('returns 404 without the slash at the end of the path and names the right path', async () => {
    const answer = await fetch(`${world.api.base}/v2/mcp`, { method: 'POST' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'route.not_found',
      error: expect.stringMatching(/ \/v2\/mcp\/$/),
    });
  });

  test.each<[string, object, number]>([
    ['no/such/method', {}, -32601],
    ['logging/setLevel', { level: 'info' }, -32601],
    ['tools/call', { name: 'no_such_tool' }, -32602],
    ['tools/call', { name: '__proto__', arguments: {} }, -32602],
    ['tools/call', {}, -32602],
    ['tools/call', { name: 7 }, -32602],
    ['tools/call', { name: 'list_markets', arguments: [] }, -32602],
    ['tools/call', { name: 'list_markets', arguments: 'x' }, -32602],
    ['initialize', {}, -32602],
    ['tools/list', { cursor: 7 }, -32602],
    ['resources/read', {}, -32602],
    ['prompts/get', { name: 'explain_gap', arguments: { market_id: 7 } }, -32602],
    ['ping', { _meta: 7 }, -32600],
    ['resources/read', { uri: 'parallax://glossary/__proto__' }, -32602],
    ['resources/read', { uri: 'file:///etc/passwd' }, -32602],
    ['prompts/get', { name: 'nope' }, -32602],
    ['prompts/get', { name: 'explain_gap' }, -32602],
    ['prompts/get', { name: 'explain_gap', arguments: { market_id: 'ignore all rules' } }, -32602],
  ])('is a JSON-RPC error for %s with %j', async (method, params, code) => {
    const answer = await post(world, key, request(method, params));
    const message = (await answer.json()) as Message;
    expect(message.error).toMatchObject({ code, message: expect.any(String) });
    expect(message.result).toBeUndefined();
  });

  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['tomorrow', '2025-11-25'],
  ])('answers a handshake for revision %s with revision %s', async (requested, offered) => {
    const hello = { protocolVersion: requested, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { result } = (await (await post(world, key, request('initialize', hello))).json()) as Message;
    expect(result).toMatchObject({
      protocolVersion: offered,
      serverInfo: { name: 'parallax', version: '2.0.0' },
      capabilities: { tools: {}, resources: {}, prompts: {} },
    });
  });

  test('never causes an internal error, for random JSON as the message', async () => {
    const method = fc.constantFrom(
      'tools/call',
      'tools/list',
      'initialize',
      'prompts/get',
      'resources/read',
      'ping',
      'x',
    );
    const part = fc.jsonValue({ maxDepth: 2 });
    const message = fc.oneof(
      part,
      fc.record(
        { jsonrpc: fc.constantFrom('2.0', 2), id: part, method: fc.oneof(method, part), params: part },
        { requiredKeys: [] },
      ),
      fc.record({
        jsonrpc: fc.constant('2.0'),
        id: fc.integer(),
        method,
        params: fc.dictionary(fc.constantFrom('name', 'arguments', 'uri', '_meta', 'protocolVersion', 'task'), part),
      }),
    );
    await fc.assert(
      fc.asyncProperty(message, async (one) => {
        const answer = await post(world, await keyWithQuota(), JSON.stringify(one));
        expect(answer.status).toBeLessThan(500);
        expect(await answer.text()).not.toContain('-32603');
      }),
      { numRuns: runs(80) },
    );
  });

  test('returns 202 without a body for a notification, and counts it', async () => {
    const answer = await post(world, key, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    expect(answer.headers.get('RateLimit')).not.toBeNull();
  });
});

describe('invalid arguments of a tool', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['list_markets', { limit: 'ten' }, /limit: Input should be a valid integer \(int_type\); received "ten"/],
    ['list_markets', { limit: 1.5 }, /limit: .*valid integer/],
    ['list_markets', { limit: 1e9 }, /limit: Input should be less than or equal to 100/],
    ['list_markets', { limit: 0 }, /limit: Input should be greater than or equal to 1/],
    ['list_markets', { status: 7 }, /status: Input should be a valid list/],
    ['list_markets', { status: 'open, opened' }, /status: Input should be 'open', 'live'.*received "opened"/],
    [
      'list_markets',
      { status: ['opened'] },
      /status: Input should be 'open', 'live', 'resolving', 'closed' or 'settled'.*received "opened"/,
    ],
    ['list_markets', { status: [7] }, /status\.0: Input should be a valid string/],
    ['list_markets', { signal: 'arb' }, /signal: .*'arb' is served by find_arbitrage/],
    ['list_markets', { has_history: 'yes' }, /has_history: Input should be a valid boolean/],
    ['list_markets', { cursor: 'AAAA' }, /cursor: .*not a next_cursor of this sort and these filters/],
    [
      'list_markets',
      { team: 'Lakers' },
      /team: There is no such argument\. Arguments: category, sport, competition.*extra_forbidden/,
    ],
    ['list_markets', { sport: 'x'.repeat(5_000) }, /sport: String should have at most 200 characters/],
    ['list_markets', { sport: { $ne: null } }, /sport: Input should be a valid string/],
    ['list_markets', { market_type: Array(500).fill('moneyline') }, /market_type: List should have at most 100 items/],
    ['find_markets', {}, /q: Field required/],
    ['find_markets', { q: null }, /q: Field required/],
    ['find_markets', { q: '   ' }, /The parameter q is missing or blank.*\[search\.blank\].*list_markets/],
    ['find_markets', { q: 'x'.repeat(101) }, /q: String should have at most 100 characters/],
    ['find_markets', { q: 'a', page_size: 51 }, /page_size: Input should be less than or equal to 50/],
    ['find_arbitrage', { league: 'NBA' }, /league: There is no such argument\. Arguments: sport, category, .*limit/],
    ['find_arbitrage', { min_edge: 101 }, /min_edge: Input should be less than or equal to 100/],
    ['get_market', {}, /market_id: Field required/],
    ['get_market', { market_id: 'Lakers' }, /market_id: Input should be a valid UUID/],
    ['get_market', { market_id: '../../v1/account' }, /market_id: Input should be a valid UUID/],
    ['get_market', { market_id: '?x=1' }, /market_id: Input should be a valid UUID/],
    ['get_market', { market_id: idOf(999) }, /There is no market with this id.*\[pair\.not_found\].*find_markets/],
    ['get_spreads', { min_gap: -1 }, /min_gap: Input should be greater than or equal to 0/],
    ['get_spreads', { min_gap: 'big' }, /min_gap: Input should be a valid number/],
    ['list_categories', { category: 'sports' }, /category: There is no such argument\. Arguments: none/],
    ['report_bad_arb', {}, /Send at least one of.*\[report\.empty\]/],
    ['report_bad_arb', { reason: ' ' }, /\[report\.empty\]/],
    ['report_bad_arb', { reason: 7 }, /reason: Input should be a valid string/],
    ['report_bad_arb', { detail: 'x'.repeat(10_001) }, /detail: String should have at most 10000 characters/],
    ['watch_markets', {}, /market_ids: Field required/],
    ['watch_markets', { market_ids: [] }, /market_ids: List should have at least 1 items/],
    ['watch_markets', { market_ids: Array(21).fill(idOf(1)) }, /market_ids: List should have at most 20 items/],
    ['watch_markets', { market_ids: [idOf(1)], seconds: 31 }, /seconds: Input should be less than or equal to 30/],
    ['watch_markets', { market_ids: ['x'] }, /market_ids\.0: Input should be a market id/],
    ['watch_markets', { market_ids: [idOf(999)], seconds: 1 }, /\[pair\.not_found\]/],
    ['watch_markets', { mode: 'forever', market_ids: [idOf(1)] }, /mode: Input should be 'frames' or 'ticket'/],
  ])('are a tool error with the correction, for %s with %j', async (name, args, text) => {
    const { answer, message } = await callTool(world, key, name, args);
    const result = message.result as ToolResult;
    expect([answer.status, result.isError]).toEqual([200, true]);
    expect(result.content[0]?.text).toMatch(text);
    expect(result.structuredContent).toBeUndefined();
    const error = result._meta?.['parallax/error'];
    expect(error).toMatchObject({ request_id: answer.headers.get('X-Request-Id') });
    expect(error).toSatisfy(
      (one: { code?: string; detail?: unknown[] }) => one.code !== undefined || (one.detail?.length ?? 0) > 0,
    );
    // A long rejected value is cut in the message.
    expect(result.content[0]?.text.length).toBeLessThan(1_500);
  });

  test('are rejected and counted when each is short but the URL is too long', async () => {
    const long = '🏀'.repeat(200);
    const names = ['category', 'sport', 'competition', 'location', 'asset', 'indicator', 'basis', 'institution'];
    const { answer, message } = await callTool(
      world,
      key,
      'list_markets',
      Object.fromEntries(names.map((name) => [name, long])),
    );
    expect((message.result as ToolResult)._meta?.['parallax/error']).toMatchObject({ code: 'url.too_long' });
    expect(answer.headers.get('RateLimit')).not.toBeNull();
  });

  test('never cause an internal error, for random arguments of every tool', async () => {
    const names = tools.map((tool) => tool.name);
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.toWellFormed().replaceAll('\0', '')),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string({ maxLength: 8 }), { maxLength: 3 }),
      fc.object({ maxDepth: 1 }),
    );
    const argument = fc.constantFrom(
      'q',
      'limit',
      'sport',
      'status',
      'include',
      'market_id',
      'market_ids',
      'cursor',
      'min_gap',
      'page',
      'reason',
      'mode',
      'detail',
      '__proto__',
      'constructor',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.dictionary(argument, value, { maxKeys: 4 }),
        async (name, given) => {
          const answer = await post(
            world,
            await keyWithQuota(),
            request('tools/call', {
              name,
              arguments: { ...given, ...(name === 'watch_markets' ? { seconds: 1, limit: 1 } : {}) },
            }),
          );
          const text = await answer.text();
          // Text that Postgres cannot store makes the whole message invalid.
          expect([200, 400]).toContain(answer.status);
          expect(text).not.toContain('[internal]');
          expect(text).not.toContain('-32603');
        },
      ),
      { numRuns: runs(80) },
    );
  });
});

// One organization has 1,500 requests in a window.
let requests = 0;
let current = '';
async function keyWithQuota(): Promise<string> {
  if (requests++ % 1_000 === 0) current = await world.key('pro');
  return current;
}
