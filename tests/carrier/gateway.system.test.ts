import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { Gateway } from '../../local/platform/gateway/gateway.ts';
import { Newcomers } from '../../local/platform/gateway/newcomers.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { waitUntil } from '../support/wait_until.ts';

// The gateway before several nodes. A node here is a WebSocket server that sends its own number
// and accepts a connect command as Centrifugo does.

const MAX = 3;
const nodes: { port: number; server: Server; addresses: (string | undefined)[] }[] = [];
let order: number[] = [0, 1];
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  for (const name of ['0', '1']) {
    const server = createServer();
    const port = await freePort();
    const addresses: (string | undefined)[] = [];
    new WebSocketServer({ server }).on('connection', (socket, request) => {
      addresses.push(String(request.headers['x-forwarded-for']));
      socket.on('message', (text) => {
        const accepts = String(text) === 'connect';
        socket.send(accepts ? `{"id":1,"connect":{"client":"${name}"}}` : `{"id":1,"error":{"message":"${name}"}}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    nodes.push({ port, server, addresses });
  }
  const name = 'The stream';
  const port = await freePort();
  gateway = new Gateway({
    port,
    functions: new Map([
      [
        'stream',
        {
          name,
          address: { host: '127.0.0.1', port: 9 },
          untilUp: async () => true,
          newcomers: new Newcomers(MAX),
          upstreams: () => order.map((at) => ({ name, address: { host: '127.0.0.1', port: nodes[at]?.port ?? 9 } })),
          admit: async () => ({ status: 426, code: 'stream.upgrade', error: 'WebSockets only.' }),
        },
      ],
    ]),
    auth: undefined,
    dashboard: '/nowhere',
    notice: '',
  });
  await gateway.listen();
  url = `http://127.0.0.1:${port}/functions/v1/stream`;
});
afterAll(async () => {
  await gateway.close();
  for (const { server } of nodes) {
    server.closeAllConnections();
    server.close();
  }
});

/** Opens a socket. Returns it, or the status and body of the answer that refuses it. */
function open(): Promise<WebSocket | { status: number; body: string; retryAfter: string | undefined }> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { 'X-Forwarded-For': '203.0.113.9' } });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket));
    socket.on('error', reject);
    socket.on('unexpected-response', (_, response) => {
      let body = '';
      response.on('data', (bytes) => (body += bytes));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, retryAfter: response.headers['retry-after'] }),
      );
    });
  });
}

/** What the node answers to a command. */
function ask(socket: WebSocket, text: string): Promise<string> {
  return new Promise((resolve) => {
    socket.once('message', (answer) => resolve(String(answer)));
    socket.send(text);
  });
}

const opened = async (): Promise<WebSocket> => {
  const socket = await open();
  if (!(socket instanceof WebSocket)) throw new Error(socket.body);
  return socket;
};

async function end(...sockets: WebSocket[]): Promise<void> {
  for (const socket of sockets) socket.terminate();
  // The gateway notices the end of a socket a moment later.
  await waitUntil(
    async () => {
      const socket = await open();
      if (!(socket instanceof WebSocket)) return false;
      socket.terminate();
      return true;
    },
    { what: 'a free place' },
  );
}

test('an upgrade goes to the first node of the list, or to the next one where nothing listens', async () => {
  order = [1, 0];
  const first = await opened();
  expect(await ask(first, 'connect')).toContain('"client":"1"');
  order = [99, 0];
  const second = await opened();
  expect(await ask(second, 'connect')).toContain('"client":"0"');
  expect(nodes.map(({ addresses }) => addresses.at(-1))).toEqual(['127.0.0.1', '127.0.0.1']);
  first.terminate();
  second.terminate();
});

test.each([[[]], [[98, 99]]])('an upgrade is refused with 503 where none of the nodes %j accepts it', async (list) => {
  order = list;
  expect(await open()).toMatchObject({ status: 503, body: expect.stringContaining('worker.down'), retryAfter: '1' });
});

test('an address may have only so many sockets whose connect command was not accepted', async () => {
  order = [0];
  const accepted = await Promise.all(Array.from({ length: MAX }, opened));
  for (const socket of accepted) expect(await ask(socket, 'connect')).toContain('"connect"');
  const strangers = await Promise.all(Array.from({ length: MAX }, opened));
  // An answer with an error does not count as accepted.
  for (const socket of strangers) expect(await ask(socket, 'anything')).toContain('"error"');
  expect(await open()).toMatchObject({
    status: 429,
    body: expect.stringContaining('stream.address_full'),
    retryAfter: '5',
  });
  await end(...strangers);
  for (const socket of accepted) {
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  }
});

test('a request that is no upgrade is answered as the function stream does', async () => {
  const answer = await fetch(url);
  expect([answer.status, await answer.json()]).toEqual([426, expect.objectContaining({ code: 'stream.upgrade' })]);
});
