import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { spawnWorker, untilListening } from '../../local/platform/functions/worker.ts';
import { Gateway } from '../../local/platform/gateway/gateway.ts';
import { Inbox } from '../../local/platform/gateway/inbox.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { UserError } from '../../local/platform/user_error.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

const folder = temporaryFolder('gate');
const socketPath = join(folder, 'echo');
const dashboard = join(folder, 'dist');
let echo: Server;
let gateway: Gateway;
let port: number;
let base: string;
let aborted = 0;

beforeAll(async () => {
  echo = createServer((request, response) => {
    if (request.url === '/echo/break') return void request.socket.destroy();
    if (request.url === '/echo/half') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      return void setTimeout(() => request.socket.destroy(), 20);
    }
    if (request.url === '/echo/forever') {
      response.writeHead(200);
      response.write('.');
      return void response.on('close', () => {
        aborted++;
      });
    }
    response.writeHead(
      299,
      'Odd',
      [
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-Seen', JSON.stringify(request.rawHeaders)],
        ['X-Url', request.url ?? ''],
      ].flat(),
    );
    request.pipe(response);
  });
  const sockets = new WebSocketServer({ server: echo });
  sockets.on('connection', (socket, request) => {
    socket.send(`hello ${request.url}`);
    if (request.url === '/echo/headers') socket.send(JSON.stringify(request.rawHeaders));
    socket.on('message', (message, binary) => socket.send(message, { binary }));
  });
  await new Promise<void>((resolve) => echo.listen(socketPath, resolve));

  mkdirSync(join(dashboard, 'assets'), { recursive: true });
  writeFileSync(join(dashboard, 'index.html'), '<title>the dashboard</title>');
  writeFileSync(join(dashboard, 'assets', 'app-1.js'), 'export {};');
  writeFileSync(join(folder, 'outside.txt'), 'secret');
  symlinkSync(join(folder, 'outside.txt'), join(dashboard, 'link.txt'));

  port = await freePort();
  const patient = async () => true;
  gateway = new Gateway({
    port,
    functions: new Map([
      ['echo', { name: 'The function echo', address: { socketPath }, untilUp: patient }],
      [
        'closed',
        {
          name: 'The function closed',
          address: { socketPath },
          untilUp: patient,
          admit: () => Promise.reject(new Error('a defect')),
        },
      ],
      ['dead', { name: 'The function dead', address: { socketPath: join(folder, 'unused') }, untilUp: patient }],
    ]),
    auth: undefined,
    realtime: { name: 'Realtime', address: { socketPath }, untilUp: patient },
    dashboard,
    notice: 'venues are SIMULATED',
    inbox: new Inbox(),
  });
  await gateway.listen();
  base = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await gateway.close();
  echo.closeAllConnections();
  echo.close();
  rmSync(folder, { recursive: true, force: true });
});

const plain = (path: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    // Not fetch: it would tidy the path first.
    httpRequest({ host: '127.0.0.1', port, path }, resolve).on('error', reject).end();
  });

describe('the answers of REST', () => {
  test('have gzip for a client that takes it, and are unchanged otherwise', async () => {
    const text = JSON.stringify({ rows: Array.from({ length: 500 }, (_, n) => `row ${n}`) });
    const origin = createServer((request, response) => {
      const body = request.url?.includes('small') ? '{}' : text;
      response.writeHead(request.url?.includes('missing') ? 404 : 200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      });
      if (request.url?.includes('half')) {
        response.write(body.slice(0, 2_000));
        setTimeout(() => request.socket.destroy(), 20);
      } else response.end(body);
    });
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
    const address = { host: '127.0.0.1', port: (origin.address() as AddressInfo).port };
    const auth = { name: 'REST', address, untilUp: async () => true };
    const front = new Gateway({ port: 0, functions: new Map(), auth, dashboard, notice: '' });
    const url = `http://127.0.0.1:${await front.listen()}`;
    const read = async (path: string, encoding: string) => {
      const answer = await fetch(`${url}${path}`, { headers: { 'accept-encoding': encoding } });
      return [answer.headers.get('content-encoding'), answer.headers.get('vary'), await answer.text()];
    };
    const plainly = [null, null, text];
    expect(await read('/rest/v1/rpc/get_channel_state', 'gzip, br')).toEqual(['gzip', 'Accept-Encoding', text]);
    expect(await read('/rest/v1/rpc/get_channel_state', 'br')).toEqual(plainly);
    expect(await read('/auth/v1/user', 'gzip')).toEqual(plainly);
    expect(await read('/rest/v1/missing', 'gzip')).toEqual(plainly);
    expect(await read('/rest/v1/small', 'gzip')).toEqual([null, null, '{}']);
    await expect(read('/rest/v1/half', 'gzip')).rejects.toThrow();
    await front.close();
    origin.close();
  });
});

describe('forwarding', () => {
  test('forwards method, path, query, headers, status and a body of 8 MB unchanged, and keeps repeated headers separate', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, 'x');
    const answer = await fetch(`${base}/functions/v1/echo/a%2Fb?q=%C3%A9&q=2`, {
      method: 'POST',
      body,
      headers: { 'X-Mine': 'yes', apikey: 'k' },
    });
    expect(answer.status).toBe(299);
    expect(answer.headers.get('x-url')).toBe('/echo/a%2Fb?q=%C3%A9&q=2');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const seen = answer.headers.get('x-seen') ?? '';
    expect(seen).toContain('"yes"');
    for (const added of ['x-forwarded', 'via', 'forwarded']) expect(seen.toLowerCase()).not.toContain(`"${added}`);
    expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), body)).toBe(0);
  });

  test('answers 500 when a backend cannot decide on a request, and forwards nothing', async () => {
    const answer = await fetch(`${base}/functions/v1/closed`);
    expect([answer.status, (await answer.json()).code]).toEqual([500, 'internal']);
  });

  test('streams a chunked upload', async () => {
    const parts = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of ['one ', 'two']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const answer = await fetch(`${base}/functions/v1/echo`, {
      method: 'POST',
      body: parts,
      duplex: 'half',
    } as RequestInit);
    expect(await answer.text()).toBe('one two');
  });

  test('forwards text and binary messages of a WebSocket in both directions, and its close', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/functions/v1/echo/ws?ticket=1`);
    const received: unknown[] = [];
    const done = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (message, binary) => {
        received.push(binary ? [...(message as Buffer)] : message.toString());
        if (received.length === 1) socket.send('text');
        if (received.length === 2) socket.send(Buffer.from([1, 2, 3]));
        if (received.length === 3) socket.close(1000);
      });
      socket.on('close', () => resolve());
    });
    await done;
    expect(received).toEqual(['hello /echo/ws?ticket=1', 'text', [1, 2, 3]]);
  });

  test('names the client of a WebSocket in X-Forwarded-For, and not what the client sends', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/functions/v1/echo/headers`, {
      headers: { 'X-Forwarded-For': '192.0.2.1', 'x-forwarded-FOR': '192.0.2.2', 'X-Mine': 'yes' },
      localAddress: '127.0.0.9',
    });
    const raw: string[] = await new Promise((resolve, reject) => {
      socket
        .on('error', reject)
        .on('message', (text) => String(text).startsWith('[') && resolve(JSON.parse(`${text}`)));
    });
    socket.close();
    const values = raw.filter((_, n) => raw[n - 1]?.toLowerCase() === 'x-forwarded-for' && n % 2 === 1);
    expect([values, raw.includes('yes')]).toEqual([['127.0.0.9'], true]);
  });

  test('forwards only the WebSocket and the API of Realtime, with unchanged paths', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=k&vsn=2.0.0`);
    const hello = await new Promise((resolve, reject) => {
      socket.once('error', reject).once('message', (message) => resolve(String(message)));
    });
    socket.close();
    expect(hello).toBe('hello /realtime/v1/websocket?apikey=k&vsn=2.0.0');
    const answer = await fetch(`${base}/realtime/v1/api/broadcast`, { method: 'POST', body: '{}' });
    expect(answer.headers.get('x-url')).toBe('/realtime/v1/api/broadcast');
    for (const path of ['/realtime/v1/apix', '/realtime/v1/websockets', '/realtime/v1', '/realtime'])
      expect((await fetch(`${base}${path}`)).status).toBe(404);
  });

  test('aborts the request to the function when the caller disconnects', async () => {
    const request = httpRequest(`${base}/functions/v1/echo/forever`);
    request.on('error', () => {});
    await new Promise<void>((resolve) => {
      request.on('response', (answer) => answer.once('data', () => resolve())).end();
    });
    request.destroy();
    await waitUntil(() => aborted > 0, { what: 'the end of the aborted request', timeoutMs: 5_000 });
    expect(aborted).toBe(1);
  });
});

describe('errors of the gateway', () => {
  test.each([
    ['/functions/v1/dead/x', 503, 'worker.down'],
    ['/functions/v1/echo/break', 502, 'worker.broken'],
    ['/functions/v1/none', 404, 'path.not_found'],
    ['/realtime/v1/x', 404, 'path.not_found'],
    ['/%00', 400, 'path.malformed'],
    ['/%ff', 400, 'path.malformed'],
    ['/nothing.js', 404, 'path.not_found'],
    ['/../outside.txt', 404, 'path.not_found'],
    ['/%2e%2e/outside.txt', 404, 'path.not_found'],
    ['/..%2foutside.txt', 404, 'path.not_found'],
    ['/link.txt', 404, 'path.not_found'],
  ])('answers %s with status %i and code %s', async (path, status, code) => {
    const answer = await plain(path);
    let text = '';
    for await (const chunk of answer) text += chunk;
    expect(answer.statusCode).toBe(status);
    const body = JSON.parse(text);
    expect(body).toEqual({ error: expect.stringMatching(/\.$/), code, request_id: answer.headers['x-request-id'] });
  });

  test('does not pass an incomplete response off as complete', async () => {
    await expect(fetch(`${base}/functions/v1/echo/half`).then((answer) => answer.text())).rejects.toThrow();
  });

  test('answers 400 to bytes that are not HTTP, and keeps running', async () => {
    const output = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('\x16\x03\x01 nonsense\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(output).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(base)).status).toBe(200);
  });

  test('reports a port in use in one sentence', async () => {
    const second = new Gateway({ port, functions: new Map(), auth: undefined, dashboard, notice: '' });
    const wrong = await second.listen().catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(UserError);
    expect(String(wrong)).toMatch(/Another program uses port \d+\./);
  });
});

describe('pages of the gateway', () => {
  test('serves the dashboard with content types and caching, and its routes', async () => {
    const page = await fetch(base);
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<title>the dashboard</title>',
    ]);
    const script = await fetch(`${base}/assets/app-1.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(await (await fetch(`${base}/keys`)).text()).toContain('the dashboard');
    expect((await fetch(base, { method: 'POST' })).status).toBe(405);
  });

  test.each([
    ['a page', '/', 200],
    ['a route of the dashboard', '/keys', 200],
    ['an asset', '/assets/app-1.js', 200],
    ['a missing file', '/nothing.js', 404],
    ['a malformed path', '/%ff', 400],
    ['an unknown function', '/functions/v1/none', 404],
    ['a function that is down', '/functions/v1/dead/x', 503],
    ['a backend that fails', '/functions/v1/closed', 500],
  ])('forbids frames and sniffing for %s, and sends no HSTS over plain HTTP', async (_what, path, status) => {
    const { statusCode, headers } = await plain(path);
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      'content-security-policy': "frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  test('serves build instructions and the simulation notice when the dashboard is not built', async () => {
    const other = await freePort();
    const bare = new Gateway({
      port: other,
      functions: new Map(),
      auth: undefined,
      dashboard: join(folder, 'no'),
      notice: 'venues are <SIMULATED>',
    });
    await bare.listen();
    const text = await (await fetch(`http://127.0.0.1:${other}/`)).text();
    await bare.close();
    expect(text).toContain('venues are &#60;SIMULATED&#62;');
    expect(text).toContain('npm run build');
  });
});

describe('the worker of a function', () => {
  test('serves `export default { fetch }` in Deno, waits for waitUntil, and dispatches beforeunload on SIGTERM', async () => {
    const entrypoint = join(folder, 'index.ts');
    const socket = join(folder, 'worker');
    writeFileSync(
      entrypoint,
      `addEventListener('beforeunload', (event) => console.log('bye', event.detail.reason));
       export default {
         fetch(request: Request) {
           if (request.url.endsWith('/fail')) throw new Error('on purpose: https://host/a?apikey=of-a-caller sk_live_of_a_caller');
           const refused = Object.assign(new Error('invalid input: "of a caller"'), { code: '22P02', severity: 'ERROR', routine: 'string_to_uuid' });
           EdgeRuntime.waitUntil(Promise.reject(refused)).catch(() => {});
           EdgeRuntime.waitUntil(new Promise((resolve) => setTimeout(resolve, 300)).then(() => console.log('background done')));
           return new Response(new URL(request.url).pathname + ' ' + Deno.env.get('FEED_SOURCE'));
         },
       };`,
    );
    const log = join(folder, 'worker.log');
    const { openSync, readFileSync } = await import('node:fs');
    const child = spawnWorker(
      { name: 'probe', entrypoint, socketPath: socket, env: { FEED_SOURCE: 'simulated' }, readable: [folder] },
      openSync(log, 'a'),
    );
    const gone = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
      child.once('exit', (...how) => resolve(how)),
    );
    try {
      await untilListening(socket);
      const call = (path: string) =>
        new Promise<{ status: number; text: string }>((resolve, reject) => {
          httpRequest({ socketPath: socket, path, headers: { host: '127.0.0.1' } }, async (answer) => {
            let text = '';
            for await (const chunk of answer) text += chunk;
            resolve({ status: answer.statusCode ?? 0, text });
          })
            .on('error', reject)
            .end();
        });
      expect(await call('/probe/x')).toEqual({ status: 200, text: '/probe/x simulated' });
      const failed = await call('/fail');
      expect(failed.status).toBe(500);
      const { code, request_id } = JSON.parse(failed.text);
      expect(code).toBe('internal');
      child.kill('SIGTERM');
      expect(await gone).toEqual([0, null]);
      const output = readFileSync(log, 'utf8');
      expect(output).toContain('bye termination');
      // The log line has the request id and the place of the error, and no text of the caller.
      expect(output).toMatch(
        new RegExp(`Request ${request_id} failed: Error: on purpose: https://host/a sk_live_…\\n +at .*index.ts`),
      );
      expect(output).toContain('Background work failed: sqlstate 22P02, routine string_to_uuid');
      expect(output).not.toMatch(/of.a.caller/);
      expect(output).toContain('background done');
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('the inbox of webhooks', () => {
  const put = (name: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${base}/inbox/${name}`, { method: 'POST', body, headers });
  const read = async (path: string) => (await fetch(base + path)).json();

  test('keeps the last 100 requests of all names, newest first', async () => {
    for (let n = 1; n <= 101; n++) expect((await put(n % 2 ? 'odd' : 'even', `${n}`)).status).toBe(204);
    const { count, requests } = await read('/inbox');
    expect([count, requests[0].body, requests.at(-1).body]).toEqual([100, '101', '2']);
    expect(requests[0]).toMatchObject({ name: 'odd', verified: null, headers: { host: `127.0.0.1:${port}` } });
    expect((await read('/inbox/even')).count).toBe(50);
  });

  test('refuses a body over 256 KiB, another name and another method', async () => {
    const before = await read('/inbox');
    expect((await put('large', 'x'.repeat(256 * 1024 + 1))).status).toBe(413);
    expect((await put('a%2Fb', '{}')).status).toBe(405);
    expect((await fetch(`${base}/inbox`, { method: 'POST', body: '{}' })).status).toBe(405);
    expect((await fetch(`${base}/inbox/a`, { method: 'DELETE' })).status).toBe(405);
    expect(await read('/inbox')).toEqual(before);
    expect((await put('whole', 'x'.repeat(256 * 1024))).status).toBe(204);
  });

  test('shows a page that escapes what arrived and runs no script', async () => {
    await put('page', '<script>alert(1)</script>', { 'X-Svc-Event': '"><img src=x>' });
    const answer = await fetch(`${base}/inbox/page?secret=%22%3E`, { headers: { Accept: 'text/html' } });
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).toContain('&lt;script&gt;');
    expect(text).toContain('X-Svc-Signature: not valid');
    expect(text).not.toMatch(/<script|<img/);
  });
});
