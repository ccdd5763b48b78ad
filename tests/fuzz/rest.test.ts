import { connect as connectTcp } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { z } from 'zod';
import { errorSchema } from '../../functions/api/contract/errors.ts';
import { responseSchemas } from '../../functions/api/contract/schemas.ts';
import { idOf, uuidOf } from '../api/support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { type Answer, type Asked, ask } from './support/ask.ts';
import { campaign } from './support/campaign.ts';
import { bodyFor, type Operation, operationsOf, pathFor, queryFor } from './support/openapi.ts';
import { anyText, asWritten } from './support/texts.ts';

// Guarantee: whatever is asked of the API, by any method, at any address, with any headers and body, it answers as its own document says,
// never with a fault of ours, nothing of another organization, and it lives. The deployed entry under Deno, on real Postgres.

let world: ApiFixture;
let isolate: Isolate;
let operations: Operation[];
/** What only the other organization may see. */
let secrets: string[];
/** Values that exist. */
let known: Record<string, string[]>;

beforeAll(async () => {
  world = await createApiFixture();
  isolate = await startIsolate(world.db.url('parallax_api'));
  const document = await (await fetch(`${isolate.base}/openapi.json`)).json();
  operations = operationsOf(document);
  const victim = await world.key('pro');
  const registered = await fetch(`${isolate.base}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${victim}` },
    body: JSON.stringify({ url: 'https://victim-9f31.example/in', events: ['pair.created'] }),
  });
  const { id, secret } = await registered.json();
  const [org] = await world.db.sql<{ org_id: string }[]>`
    select org_id from account.keys where hash = account.key_hash(${victim})`;
  secrets = ['victim-9f31', secret, victim, victim.slice(8, 16), org?.org_id ?? ''];
  const page = await (await world.get('/v2/markets?limit=2', victim)).json();
  known = {
    market_id: [idOf(1), uuidOf(2), idOf(9), idOf(999)],
    id: [id],
    cursor: [page.next_cursor],
    channel: ['markets:all', 'status', 'sample', `org:${org?.org_id}`, 'candidates:basketball', 'quotes:all'],
    status: ['settled', 'open,live', 'open,live,resolving,closed,settled'],
    market_type: ['all', 'all,moneyline'],
    include: ['ids,depth,settlement'],
    game_id: [uuidOf(1), idOf(1)],
    q: ['title', '%', '_', '"test"'],
    from: ['2026-11-19', '0', '1763640000000'],
    to: ['2026-11-21', '253402300799999'],
    competition: ['nba', 'NBA'],
  };
}, 60_000);
afterAll(async () => {
  isolate?.stop();
  await world.close();
});

/** A window is 1,500 requests of one organization. */
let asked = 0;
let key = '';
async function roomyKey(): Promise<string> {
  if (asked++ % 1_000 === 0) key = await world.key('pro');
  return key;
}

/** What every caller may be told whatever was asked: no such path, no such method, too much. */
const anywhere = [400, 404, 405, 413, 414, 415, 406];

function expectSound({ path, method }: Asked, operation: Operation, answer: Answer): void {
  const { status, headers, text } = answer;
  const where = `${method} ${path.slice(0, 300)} → ${status} ${text.slice(0, 600)}`;
  expect(status, where).toBeLessThan(500);
  expect(headers['x-request-id'], where).toBeTypeOf('string');
  // What the caller wrote may come back in a refusal.
  const given = decodeURIComponent(path.replaceAll(/%(?![0-7][0-9a-f])/gi, ''));
  for (const secret of secrets)
    expect(text.includes(secret) && !given.includes(secret), `${secret} in ${where}`).toBe(false);
  if (method === 'HEAD' || method === 'OPTIONS' || status === 204 || status === 304) {
    expect(text, where).toBe('');
    return;
  }
  if (method === operation.method) expect([...operation.answers.keys(), ...anywhere], where).toContain(status);
  const body: unknown = JSON.parse(text);
  if (status >= 400) {
    // The protocol of MCP has errors of its own.
    if (operation.path.startsWith('/v2/mcp') && !('request_id' in (body as object))) return;
    expect(errorSchema(status).safeParse(body).error, where).toBeUndefined();
    expect((body as { request_id: string }).request_id, where).toBe(headers['x-request-id']);
    return;
  }
  const name = operation.answers.get(status);
  if (name === undefined) return;
  const schema: z.ZodType = responseSchemas[name as keyof typeof responseSchemas];
  expect(schema.safeParse(body).error?.issues ?? [], where).toEqual([]);
}

const headerText = anyText.map((text) => text.replaceAll(/[^\x21-\x7e\x80-\xff ]/g, '').trim());
const oddHeaders = fc.record(
  {
    'X-Request-Id': headerText,
    'If-None-Match': fc.oneof(headerText, fc.constantFrom('*', 'W/"x"', '"', '"a", "b"', `"${'x'.repeat(2_000)}"`)),
    'Accept-Encoding': fc.constantFrom('gzip', 'gzip;q=0', '*', 'br', 'gzip;q=x', ', ,'),
    Accept: headerText,
    'Content-Type': fc.oneof(
      headerText,
      fc.constantFrom('application/json', 'text/plain; charset=utf-16', 'multipart/form-data'),
    ),
    Origin: headerText,
    'X-API-Key': headerText,
    'X-Forwarded-For': headerText,
    'X-Forwarded-Host': headerText,
    Cookie: headerText,
  },
  { requiredKeys: [] },
);

const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY');

campaign(
  'every path and method of the OpenAPI document answers as documented, for any parameters',
  () =>
    fc.asyncProperty(
      fc.constantFrom(...operations).chain((operation) =>
        fc.record({
          operation: fc.constant(operation),
          path: pathFor(operation, known),
          query: queryFor(operation.parameters, known),
          headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
          body:
            operation.body || operation.path.includes('mcp') ? fc.option(bodyFor(operation.body)) : fc.constant(null),
        }),
      ),
      async ({ operation, path, query, headers, body }) => {
        const told: Asked = {
          method: operation.method,
          path: query === '' ? path : `${path}?${query}`,
          headers: { ...withoutEmpty(headers), authorization: `Bearer ${await roomyKey()}` },
          body: body ?? undefined,
        };
        expectSound(told, operation, await ask(isolate.base, told));
      },
    ),
  1_500,
);

campaign(
  'other methods, unknown callers and unknown paths get a documented error',
  () =>
    fc.asyncProperty(
      fc.constantFrom(...operations).chain((operation) =>
        fc.record({
          operation: fc.constant(operation),
          method: methods,
          path: fc.oneof(
            pathFor(operation, known),
            asWritten(anyText).map((text) => `${operation.path}/${text}`),
            asWritten(anyText).map((text) => `/${text}`),
            fc.constantFrom(
              '//',
              '/.',
              '/..',
              '/%2e%2e/api/health',
              `${operation.path}//`,
              `/${operation.path}`,
              `/${'a/'.repeat(4_000)}`,
              `${operation.path};x=1`,
            ),
          ),
          key: fc.oneof(
            headerText.map((text) => `Bearer ${text}`),
            headerText,
            fc.constantFrom(
              'Bearer',
              'bearer  ',
              `Bearer sk_live_${'0'.repeat(8)}_${'0'.repeat(38)}`,
              'Basic dTpw',
              'Bearer a b',
              `Bearer ${'x'.repeat(9_000)}`,
            ),
            fc.constant('valid'),
          ),
          headers: oddHeaders,
          body: fc.option(bodyFor(operation.body)),
        }),
      ),
      async ({ operation, method, path, key: shown, headers, body }) => {
        const authorization = shown === 'valid' ? `Bearer ${await roomyKey()}` : shown;
        const hasBody = method !== 'GET' && method !== 'HEAD' && body !== null;
        const told: Asked = {
          method,
          path,
          headers: { ...withoutEmpty(headers), ...withoutEmpty({ authorization }) },
          body: hasBody ? body : undefined,
        };
        expectSound(told, { ...operation, method: 'none', answers: new Map() }, await ask(isolate.base, told));
      },
    ),
  400,
);

campaign(
  'bytes that are barely HTTP do not end the process',
  () =>
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.constantFrom(
            'GET /api/health HTTP/1.1\r\n',
            'POST /api/v2/report-bad-arb HTTP/1.1\r\n',
            'Host: x\r\n',
            '\r\n',
            'Content-Length: 5\r\n',
          ),
          fc.constantFrom(
            'Content-Length: -1\r\n',
            'Transfer-Encoding: chunked\r\n',
            'Content-Length: 99999999999\r\n',
            '5\r\n{"a":\r\n',
            '0\r\n\r\n',
            'Expect: 100-continue\r\n',
          ),
          fc.constantFrom(
            'GET http://127.0.0.1:1/ HTTP/1.1\r\n',
            'CONNECT x:1 HTTP/1.1\r\n',
            'GET /api/v2/markets?\u0000 HTTP/1.1\r\n',
            'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          ),
          fc.string({ unit: 'binary', maxLength: 60 }),
        ),
        { maxLength: 8 },
      ),
      async (parts) => {
        await throwAt(isolate.base, Buffer.from(parts.join(''), 'latin1'));
        const answer = await fetch(`${isolate.base}/health`);
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
      },
    ),
  60,
);

/** Writes the bytes to the server's port and waits until it has said something, closed, or a moment has passed in silence. */
function throwAt(base: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const socket = connectTcp(Number(port), hostname, () => socket.end(bytes));
    for (const event of ['data', 'close', 'error', 'timeout'] as const) {
      socket.once(event, () => {
        socket.destroy();
        resolve();
      });
    }
    socket.setTimeout(200);
  });
}

/** Node sends no header without a value. */
function withoutEmpty(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
