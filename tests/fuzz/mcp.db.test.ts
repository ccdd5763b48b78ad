import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { idOf } from '../api/support/catalog.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { createMcpFixture } from '../mcp/support/fixture.ts';
import { type Message, post, request, type ToolResult } from '../mcp/support/post.ts';
import { campaign } from './support/campaign.ts';
import { type Schema, valueFor } from './support/openapi.ts';
import { anyJson, anyText } from './support/texts.ts';

/**
 * Guarantee: to any message of an agent the server replies with a result, a protocol error or a
 * tool error, never with an internal error. Text of a venue appears between its marks only.
 */

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await createMcpFixture();
});
afterAll(() => fixture.close());

/**
 * A rate-limit window allows an organization 1,500 requests: uses another organization after 700.
 */
let requests = 0;
let key = '';
async function keyBelowLimit(): Promise<string> {
  if (requests++ % 700 === 0) key = await fixture.key('pro');
  return key;
}

/** Posts the message and expects no internal error and no 5xx status. */
async function postMessage(
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const answer = await post(fixture, await keyBelowLimit(), body, headers);
  const text = await answer.text();
  expect(answer.status, text).toBeLessThan(500);
  expect(text).not.toContain('-32603');
  expect(text).not.toContain('[internal]');
  expect(answer.headers.get('X-Request-Id')).toBeTypeOf('string');
  return { status: answer.status, text };
}

const methods = ['tools/call', 'tools/list', 'initialize', 'ping', 'prompts/get', 'prompts/list', 'resources/read'];
const method = fc.oneof(
  fc.constantFrom(...methods, 'resources/list', 'resources/templates/list', 'server/discover'),
  fc.constantFrom(
    'notifications/initialized',
    'notifications/cancelled',
    'completion/complete',
    'sampling/createMessage',
    'tasks/get',
  ),
  anyText,
);
const params = fc.oneof(
  anyJson(),
  fc.dictionary(
    fc.constantFrom(
      'name',
      'arguments',
      'uri',
      '_meta',
      'protocolVersion',
      'capabilities',
      'clientInfo',
      'cursor',
      'task',
      'requestId',
      '__proto__',
    ),
    anyJson(2),
  ),
);
const message = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      { jsonrpc: fc.constant('2.0'), id: fc.oneof(fc.integer(), anyText, anyJson(1)), method, params },
      { requiredKeys: ['jsonrpc'] },
    ),
  },
  { weight: 1, arbitrary: fc.array(anyJson(2), { maxLength: 3 }) },
  { weight: 1, arbitrary: anyJson(4) },
);
const headers = fc.record(
  {
    'Mcp-Protocol-Version': fc.constantFrom('2025-06-18', '2025-11-25', '2026-07-28', '1999-01-01', 'x'),
    Accept: fc.constantFrom('application/json, text/event-stream', '*/*', 'application/json', 'text/event-stream'),
    'Content-Type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
    'Mcp-Session-Id': fc.constantFrom('x', '00000000-0000-4000-8000-000000000000'),
    'Mcp-Method': fc.constantFrom(...methods),
    'Mcp-Name': fc.constantFrom('list_markets', 'nothing'),
    'Last-Event-ID': fc.constantFrom('0', 'x'),
  },
  { requiredKeys: [] },
);

campaign(
  'any JSON message with any protocol headers gets a valid MCP response',
  () =>
    fc.asyncProperty(message, headers, async (value, extraHeaders) => {
      await postMessage(JSON.stringify(value), extraHeaders);
    }),
  250,
);

campaign(
  'any bytes as an MCP message get a valid response',
  () =>
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.json().map((text) => text.slice(1)),
      ),
      async (body) => {
        const { status, text } = await postMessage(body.toWellFormed());
        if (status === 400)
          expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
      },
    ),
  80,
);

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const topic = fc.constantFrom(
  'toolsListChanged',
  'promptsListChanged',
  'resourcesListChanged',
  'resourceSubscriptions',
  'x',
);

campaign(
  'a subscriptions/listen of any shape is rejected or ends at once, and holds no connection open',
  () =>
    fc.asyncProperty(
      fc.record(
        {
          notifications: fc.oneof(
            {
              weight: 4,
              arbitrary: fc.dictionary(topic, fc.oneof(fc.constant(true), fc.constant(['parallax://x']), anyJson(1))),
            },
            { weight: 1, arbitrary: anyJson(2) },
          ),
          _meta: fc.oneof(
            { weight: 6, arbitrary: fc.constant<unknown>(envelope) },
            {
              weight: 1,
              arbitrary: fc.dictionary(fc.constantFrom(...Object.keys(envelope), 'progressToken'), anyJson(1)),
            },
          ),
        },
        { requiredKeys: ['_meta'] },
      ),
      fc.oneof({ weight: 5, arbitrary: fc.integer() as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anyJson(1) }),
      fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      async (listenParams, id, extraHeaders) => {
        const modern = { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen', ...extraHeaders };
        // Reads the body to the end: the test times out if the server holds the response open.
        const { status, text } = await postMessage(request('subscriptions/listen', listenParams, id as number), modern);
        if (status === 200 && text.includes('subscriptions/acknowledged'))
          expect(text).toContain('"resultType":"complete"');
      },
    ),
  120,
);

/** Values that exist in the fixture, by argument name. */
const knownValues: Record<string, string[]> = { market_id: [idOf(1), idOf(21), idOf(24)], q: ['lakers', 'title'] };
/** All required arguments, up to two optional ones, and at times an unknown one. */
function argumentsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(properties);
  const optional = fc.uniqueArray(fc.constantFrom(...names, ...(names.length > 0 ? [] : ['x'])), { maxLength: 2 });
  const unknown = fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(anyText, anyJson(2), { maxKeys: 1 }) },
  );
  return fc
    .tuple(optional, unknown)
    .chain(([chosen, others]) =>
      fc
        .record(
          Object.fromEntries(
            [...required, ...chosen].map((name) => [name, valueFor(properties[name] ?? {}, knownValues[name])]),
          ),
        )
        .map((args) => ({ ...args, ...others })),
    );
}

campaign(
  'arguments from the input schema of each tool, valid and invalid, get an answer or a tool error',
  () =>
    fc.asyncProperty(
      fc
        .constantFrom(...tools)
        .chain((tool) => fc.record({ name: fc.constant(tool.name), input: argumentsOf(tool.inputSchema as Schema) })),
      async ({ name, input }) => {
        const args = name === 'watch_markets' ? { ...input, seconds: 1, limit: 1, mode: 'ticket' } : input;
        const { status, text } = await postMessage(request('tools/call', { name, arguments: args }));
        // Text that Postgres cannot store causes a 400 for the whole message.
        if (status === 400) return;
        const { result, error } = JSON.parse(text) as Message;
        if (error) return;
        const { isError, content, structuredContent, _meta } = result as unknown as ToolResult;
        expect(content[0]?.text.length).toBeGreaterThan(0);
        if (isError) expect(_meta?.['parallax/error']).toHaveProperty('request_id');
        else expect(structuredContent).toBeTypeOf('object');
        // The title of one market contains instructions. They appear between the marks only, and
        // cannot close them.
        const output = content[0]?.text ?? '';
        const [outside] = output.split(/<venue-text [0-9a-f]{8}>/);
        if (!isError) expect(outside).not.toContain('IGNORE ALL PREVIOUS');
        expect(output.match(/<\/?venue-text/g)?.length ?? 0).toBeLessThanOrEqual(2);
      },
    ),
  350,
);
