import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { NodeSocket } from '../../client/src/node_socket.ts';
import { type RunningStack, readLogs, startStack } from '../support/stack.ts';
import { mintTicket, type StreamTicket } from '../support/stream_ticket.ts';
import { waitUntil } from '../support/wait_until.ts';

// A customer of `npm start`: a key, a ticket over REST, and the stream through the gateway.

let stack: RunningStack;
/** All secrets and bodies of these tests. No log may contain them. */
const confidential = new Set<string>();
beforeAll(async () => {
  stack = await startStack({ env: { REST_DELAY_SECONDS: '10', LOG_LEVEL: 'debug' } });
}, 150_000);
afterAll(() => stack?.stop());

test('a client receives each price once and in order, also after kills of the stream function and Realtime', async () => {
  expect(stack.lines.some((line) => /^functions\/stream +\/functions\/v1\/stream/.test(line))).toBe(true);
  const key = stack.key('basic');
  const mint = async () => {
    const minted = await mintTicket(stack.baseUrl, key);
    confidential
      .add(key)
      .add(minted.ticket)
      .add(minted.realtime?.access_token ?? key);
    return minted;
  };
  const { ws_url, realtime } = await mint();
  expect(ws_url).toBe(`ws://127.0.0.1:${stack.port}/functions/v1/stream`);
  expect(realtime?.topics).toContain('markets:all');
  const offsets: number[] = [];
  const delays: number[] = [];
  const stream = new Centrifuge(ws_url, { websocket: NodeSocket, getData: async () => ({ t: (await mint()).ticket }) });
  stream.on('publication', ({ channel, offset, data }) => {
    if (channel !== 'markets:all') return;
    offsets.push(offset ?? 0);
    const read = Object.values(data.books_read_at ?? {}).map((at) => Date.parse(String(at)));
    if (data.type === 'price' && !data.void) delays.push(Date.now() - Math.max(...read));
  });
  stream.connect();
  await waitUntil(async () => offsets.length > 50, { what: 'prices', timeoutMs: 60_000 });
  for (const pattern of [/deno run .*f-stream/, /local\/platform\/realtime\/main\.ts/]) {
    const dead = stack.kill(pattern);
    await waitUntil(async () => ![undefined, dead].includes(stack.findPid(pattern)), {
      what: 'the process runs again',
      timeoutMs: 60_000,
    });
    // The lease of the dead connection lasts 40 s. The client need not wait: Basic has three
    // connections.
    const before = offsets.length;
    await waitUntil(async () => offsets.length > before + 50, { what: 'more prices', timeoutMs: 90_000 });
  }
  expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
  const sorted = delays.sort((a, b) => a - b);
  console.log(
    `from reading the books to the client: median ${sorted[Math.floor(sorted.length / 2)]} ms over ${sorted.length} prices`,
  );
  stream.disconnect();
}, 240_000);

test('no log of any service has a key, ticket, token, password, query or body, even at LOG_LEVEL=debug', async () => {
  const key = stack.key('pro');
  const secrets = JSON.parse(readFileSync(join(stack.folder, 'secrets.json'), 'utf8')) as Record<string, string>;
  for (const secret of [key, ...Object.values(secrets), 'query-of-a-caller', 'body-of-a-caller', 'pass-of-a-caller'])
    confidential.add(secret);
  const origin = `http://127.0.0.1:${stack.port}`;
  const authorization = `Bearer ${key}`;
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${origin}${path}`, { headers: { authorization }, ...init });
    return [answer.status, await answer.text()] as const;
  };
  const post = (body: unknown, headers: Record<string, string> = { authorization }) => ({
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const asCron = { 'x-cron-key': secrets.cron ?? '', authorization: `Bearer ${secrets.cron ?? ''}` };
  const statuses = [
    await call(`/functions/v1/api/v2/search?q=query-of-a-caller&apikey=${key}`),
    await call(`/functions/v1/api/nowhere/${key}?ticket=query-of-a-caller`),
    await call('/functions/v1/api/metrics?x=query-of-a-caller', { headers: asCron }),
    await call('/functions/v1/api/v2/report-bad-arb', post({ reason: 'body-of-a-caller' })),
    await call(
      '/functions/v1/api/v2/mcp/',
      post(
        { jsonrpc: '2.0', id: 1, method: 'body-of-a-caller' },
        { authorization, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      ),
    ),
    await call('/functions/v1/ingest?x=query-of-a-caller', post({ x: 'body-of-a-caller' }, asCron)),
    await call('/functions/v1/deliver', post({ x: 'body-of-a-caller' }, { 'x-cron-key': `${secrets.cron}x` })),
    await call(`/functions/v1/stream?ticket=query-of-a-caller`),
    await call(
      '/auth/v1/token?grant_type=password',
      post({ email: 'a@example.com', password: 'pass-of-a-caller' }, { apikey: secrets.publishable ?? '' }),
    ),
    await call(
      '/rest/v1/rpc/mint_key?x=query-of-a-caller',
      post({ p_org_id: 'body-of-a-caller' }, { apikey: secrets.publishable ?? '' }),
    ),
    await call('/realtime/v1/api/broadcast', post({ messages: 'body-of-a-caller' }, { apikey: secrets.secret ?? '' })),
  ].map(([status]) => status);
  expect(statuses).toEqual([200, 404, 200, 202, expect.any(Number), 202, 401, 426, 400, 400, 422]);
  const [, registered] = await call(
    '/functions/v1/api/v1/webhooks',
    post({ url: 'https://8.8.8.8/query-of-a-caller?x=1', events: ['pair.created'] }),
  );
  confidential.add(JSON.parse(registered).secret);
  const [, minted] = await call('/functions/v1/api/v1/stream/token', post({}));
  const { ticket, realtime } = JSON.parse(minted) as StreamTicket;
  confidential.add(ticket).add(realtime?.access_token ?? ticket);
  const hello = JSON.stringify({ id: 1, connect: { data: { t: ticket } }, x: 'body-of-a-caller' });
  const paths = [
    `/realtime/v1/websocket?apikey=${secrets.secret}&vsn=9`,
    '/realtime/v1/websocket?apikey=query-of-a-caller',
    // The second connection uses the ticket again.
    ...['/functions/v1/stream', '/functions/v1/stream?t=query-of-a-caller'],
  ];
  const sockets = paths.map((path) => new WebSocket(`ws://127.0.0.1:${stack.port}${path}`));
  for (const socket of sockets) socket.on('error', () => {}).on('open', () => socket.send(hello));
  await waitUntil(
    async () => readFileSync(join(stack.folder, 'logs/functions-stream.log'), 'utf8').includes('connection.opened'),
    { what: 'the log has the connection', timeoutMs: 60_000 },
  );
  for (const socket of sockets) socket.terminate();
  await stack.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parallax %'`;
  await call('/functions/v1/api/v2/markets?sport=query-of-a-caller');

  const texts = readLogs(stack.folder);
  expect([...texts.keys()]).toEqual(
    expect.arrayContaining(['functions-api.log', 'functions-stream.log', 'functions-ingest.log', 'realtime.log']),
  );
  texts.set('the output of npm start', stack.lines.join('\n'));
  texts.set('server.log', readFileSync(join(stack.folder, 'postgres', 'server.log'), 'utf8'));
  expect(texts.get('functions-stream.log')).toContain('connection.opened');
  expect(texts.get('functions-api.log')).toContain('"route":"/api/v2/search"');
  const found = [...texts].flatMap(([name, text]) =>
    [...confidential].filter((one) => one !== '' && text.includes(one)).map((one) => `${name}: ${one}`),
  );
  expect(found).toEqual([]);
}, 120_000);
