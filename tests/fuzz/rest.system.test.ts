import { connect as connectTcp } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { z } from 'zod';
import { errorSchema } from '../../functions/api/contract/errors.ts';
import { responseSchemas } from '../../functions/api/contract/schemas.ts';
import { idOf, uuidOf } from '../api/support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { campaign } from './support/campaign.ts';
import { bodyFor, type Operation, operationsOf, pathFor, queryFor } from './support/openapi.ts';
import { type HttpRequest, type HttpResponse, sendRequest } from './support/send_request.ts';
import { anyText, inUrl } from './support/texts.ts';

/**
 * Guarantee: to any request (method, path, headers, body) the API replies as its OpenAPI document
 * states, without a server error and without data of another organization, and keeps running. The
 * test runs the deployed entry under Deno, on real Postgres.
 */

let fixture: ApiFixture;
let isolate: Isolate;
let operations: Operation[];
/** Data that only the other organization may see. */
let secrets: string[];
/** Values that exist in the fixture, by parameter name. */
let known: Record<string, string[]>;

beforeAll(async () => {
  fixture = await createApiFixture();
  isolate = await startIsolate(fixture.db.url('parallax_api'));
  const document = await (await fetch(`${isolate.base}/openapi.json`)).json();
  operations = operationsOf(document);
  const victim = await fixture.key('pro');
  const registered = await fetch(`${isolate.base}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${victim}` },
    body: JSON.stringify({ url: 'https://victim-9f31.example/in', events: ['pair.created'] }),
  });
  const { id, secret } = await registered.json();
  const [org] = await fixture.db.sql<{ org_id: string }[]>`
    select org_id from account.keys where hash = account.key_hash(${victim})`;
  secrets = ['victim-9f31', secret, victim, victim.slice(8, 16), org?.org_id ?? ''];
  const page = await (await fixture.get('/v2/markets?limit=2', victim)).json();
  known = {
    market_id: [idOf(1), uuidOf(2), idOf(9), idOf(999)],
    id: [id],
    cursor: [page.next_cursor],
    channel: [
      'markets:all',
      'status',
      'sample',
      `org:${org?.org_id}`,
      'candidates:basketball',
      'quotes:all',
      'best:all',
    ],
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
  await fixture.close();
});

/**
 * A rate-limit window allows an organization 1,500 requests: uses another organization after 1,000.
 */
let requests = 0;
let key = '';
async function keyBelowLimit(): Promise<string> {
  if (requests++ % 1_000 === 0) key = await fixture.key('pro');
  return key;
}

/** Statuses that any request may get: unknown path or method, invalid or too large input. */
const GENERAL_STATUSES = [400, 404, 405, 413, 414, 415, 406];

/** Expects a documented status and body, no 5xx, and no data of the other organization. */
function expectDocumented({ path, method }: HttpRequest, operation: Operation, answer: HttpResponse): void {
  const { status, headers, text } = answer;
  const where = `${method} ${path.slice(0, 300)} → ${status} ${text.slice(0, 600)}`;
  expect(status, where).toBeLessThan(500);
  expect(headers['x-request-id'], where).toBeTypeOf('string');
  // An error may repeat the input of the caller.
  const input = decodeURIComponent(path.replaceAll(/%(?![0-7][0-9a-f])/gi, ''));
  for (const secret of secrets)
    expect(text.includes(secret) && !input.includes(secret), `${secret} in ${where}`).toBe(false);
  if (method === 'HEAD' || method === 'OPTIONS' || status === 204 || status === 304) {
    expect(text, where).toBe('');
    return;
  }
  if (method === operation.method)
    expect([...operation.responses.keys(), ...GENERAL_STATUSES], where).toContain(status);
  const body: unknown = JSON.parse(text);
  if (status >= 400) {
    // MCP has its own error format.
    if (operation.path.startsWith('/v2/mcp') && !('request_id' in (body as object))) return;
    expect(errorSchema(status).safeParse(body).error, where).toBeUndefined();
    expect((body as { request_id: string }).request_id, where).toBe(headers['x-request-id']);
    return;
  }
  const name = operation.responses.get(status);
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
        const request: HttpRequest = {
          method: operation.method,
          path: query === '' ? path : `${path}?${query}`,
          headers: { ...withoutEmpty(headers), authorization: `Bearer ${await keyBelowLimit()}` },
          body: body ?? undefined,
        };
        expectDocumented(request, operation, await sendRequest(isolate.base, request));
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
            inUrl(anyText).map((text) => `${operation.path}/${text}`),
            inUrl(anyText).map((text) => `/${text}`),
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
          credential: fc.oneof(
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
      async ({ operation, method, path, credential, headers, body }) => {
        const authorization = credential === 'valid' ? `Bearer ${await keyBelowLimit()}` : credential;
        const hasBody = method !== 'GET' && method !== 'HEAD' && body !== null;
        const request: HttpRequest = {
          method,
          path,
          headers: { ...withoutEmpty(headers), ...withoutEmpty({ authorization }) },
          body: hasBody ? body : undefined,
        };
        expectDocumented(
          request,
          { ...operation, method: 'none', responses: new Map() },
          await sendRequest(isolate.base, request),
        );
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
        await sendBytes(isolate.base, Buffer.from(parts.join(''), 'latin1'));
        const answer = await fetch(`${isolate.base}/health`);
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
      },
    ),
  60,
);

/** Sends the bytes to the server, then waits for data, a close, an error or 200 ms without data. */
function sendBytes(base: string, bytes: Buffer): Promise<void> {
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

/** Removes headers without a value, which Node does not send. */
function withoutEmpty(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
