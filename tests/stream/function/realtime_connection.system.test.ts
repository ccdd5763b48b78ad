import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { JoinToken } from '../../../functions/stream/join_token.ts';
import { RealtimeConnection } from '../../../functions/stream/realtime_connection.ts';
import { waitUntil } from '../../support/wait_until.ts';

// A stub server provokes the situations that Realtime causes only once in a while.

type Inbound = { topic: string; event: string; ref: string; payload: { access_token?: string } };
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function startStub(
  respond: (message: Inbound, socket: WebSocket, connection: number) => void,
  token: JoinToken = async () => 'a.signed.token',
  pingMs?: number,
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const inbound: Inbound[] = [];
  const addresses: string[] = [];
  let connections = 0;
  server.on('connection', (socket, request) => {
    addresses.push(request.url ?? '');
    connections += 1;
    const number = connections;
    socket.on('message', (text) => {
      const message: Inbound = JSON.parse(String(text));
      inbound.push(message);
      respond(message, socket, number);
    });
  });
  const events: string[] = [];
  const connection = new RealtimeConnection({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apikey: 'sb_publishable_test',
    token,
    ...(pingMs === undefined ? {} : { pingMs }),
    log: () => {},
    make: (url, _, on) => {
      const socket = new WebSocket(url);
      socket.on('open', () => on.open());
      socket.on('message', (text) => on.message(String(text)));
      socket.on('close', (code) => on.close(String(code)));
      socket.on('error', () => {});
      return { send: (text) => socket.send(text), close: () => socket.close() };
    },
    on: {
      joined: (topic) => events.push(`joined ${topic}`),
      left: (topic) => events.push(`left ${topic}`),
      broadcast: (topic, { offset, frames }) =>
        events.push(`broadcast ${topic} ${offset} ${frames?.length ?? 'beacon'}`),
    },
  });
  connection.start();
  open.push(
    () => connection.stop(),
    () => server.close(),
  );
  return { connection, events, inbound, addresses, connections: () => connections };
}

const send = (socket: WebSocket, topic: string, event: string, payload: unknown, ref: string | null = null) =>
  socket.send(JSON.stringify({ topic, event, payload, ref }));
const replicationReady = { extension: 'system', status: 'ok', message: 'Replication connection established' };

test('a topic counts as joined when a message of the database arrives, not when the join is answered', async () => {
  const { connection, events } = await startStub(({ topic, event, ref }, socket) => {
    if (event !== 'phx_join') return;
    send(socket, topic, 'phx_reply', { status: 'ok', response: {} }, ref);
    setTimeout(() => {
      expect(connection.isJoined('sample')).toBe(false);
      send(socket, topic, 'system', replicationReady);
    }, 100);
  });
  connection.join('sample');
  await waitUntil(() => connection.isJoined('sample'), { what: 'it is joined' });
  expect(events).toEqual(['joined sample']);
});

test('the address has the publishable key only, and each join has the signed token', async () => {
  const { connection, inbound, addresses } = await startStub(({ topic, event }, socket) => {
    if (event === 'phx_join') send(socket, topic, 'system', replicationReady);
  });
  connection.join('sample');
  await waitUntil(() => connection.isJoined('sample'), { what: 'it is joined' });
  expect(addresses).toEqual(['/realtime/v1/websocket?apikey=sb_publishable_test&vsn=1.0.0']);
  expect(inbound.map(({ event, payload }) => [event, payload.access_token])).toEqual([['phx_join', 'a.signed.token']]);
});

test('each joined topic receives the next token once it is signed', async () => {
  let token = 'first';
  const { connection, inbound } = await startStub(
    ({ topic, event }, socket) => {
      if (event === 'phx_join') send(socket, topic, 'system', replicationReady);
    },
    async () => token,
    50,
  );
  connection.join('sample');
  connection.join('status');
  await waitUntil(() => connection.isJoined('sample') && connection.isJoined('status'), { what: 'both are joined' });
  token = 'second';
  const renewals = () => inbound.filter(({ event }) => event === 'access_token');
  await waitUntil(() => renewals().length === 2, { what: 'both received it' });
  await waitUntil(() => inbound.filter(({ event }) => event === 'heartbeat').length > 3, { what: 'later pings' });
  expect(renewals().map(({ topic, payload }) => [topic, payload.access_token])).toEqual([
    ['realtime:sample', 'second'],
    ['realtime:status', 'second'],
  ]);
});

test('a topic receives the next token also if another topic has joined with it first', async () => {
  let token = 'first';
  const { connection, inbound } = await startStub(
    ({ topic, event }, socket) => {
      if (event === 'phx_join') send(socket, topic, 'system', replicationReady);
    },
    async () => token,
    150,
  );
  connection.join('sample');
  await waitUntil(() => connection.isJoined('sample'), { what: 'the first is joined' });
  token = 'second';
  connection.join('status');
  await waitUntil(() => connection.isJoined('status'), { what: 'the second is joined' });
  await waitUntil(() => inbound.some(({ event }) => event === 'access_token'), { what: 'a renewal' });
  await waitUntil(() => inbound.filter(({ event }) => event === 'heartbeat').length > 2, { what: 'later pings' });
  const renewals = inbound.filter(({ event }) => event === 'access_token');
  expect(renewals.map(({ topic, payload }) => [topic, payload.access_token])).toEqual([['realtime:sample', 'second']]);
});

test('a key that cannot sign is logged, joins nothing and ends nothing', async () => {
  const { connection, inbound } = await startStub(
    () => {},
    () => Promise.reject(new Error('STREAM_SIGNING_KEY must be a private JWK')),
    50,
  );
  connection.join('sample');
  await waitUntil(() => inbound.filter(({ event }) => event === 'heartbeat').length > 2, { what: 'some pings' });
  expect(inbound.every(({ event }) => event === 'heartbeat')).toBe(true);
  expect(connection.isJoined('sample')).toBe(false);
});

test('a new connection is made when the token of the connection has expired', async () => {
  const { connection, connections } = await startStub(({ topic, event, ref }, socket, connection) => {
    if (event !== 'phx_join') return;
    const reason = 'InvalidJWTToken: Token has expired 3 seconds ago';
    if (connection === 1) send(socket, topic, 'phx_reply', { status: 'error', response: { reason } }, ref);
    else send(socket, topic, 'system', replicationReady);
  });
  connection.join('sample');
  await waitUntil(() => connection.isJoined('sample'), { what: 'it is joined' });
  expect(connections()).toBe(2);
});

test('a closed channel is joined again, and reported as away meanwhile', async () => {
  let joins = 0;
  const { connection, events } = await startStub(({ topic, event }, socket) => {
    if (event !== 'phx_join') return;
    joins += 1;
    send(socket, topic, 'system', replicationReady);
    if (joins === 1) send(socket, topic, 'phx_close', {});
  });
  connection.join('sample');
  await waitUntil(() => joins === 2 && connection.isJoined('sample'), { what: 'it is joined again' });
  expect(events).toEqual(['joined sample', 'left sample', 'joined sample']);
});

test('messages that are no broadcast of ours are ignored', async () => {
  const { connection, events } = await startStub(({ topic, event }, socket) => {
    if (event !== 'phx_join') return;
    socket.send('}{');
    socket.send('null');
    for (const payload of [
      null,
      5,
      {},
      { event: 'frames' },
      { event: 'other', payload: { channel: 'sample', epoch: 'x', offset: 1 } },
    ]) {
      send(socket, topic, 'broadcast', payload);
    }
    for (const wrong of [{ offset: 'x' }, { epoch: 5 }, { frames: 'x' }, { frames: [5] }, { channel: null }]) {
      send(socket, topic, 'broadcast', {
        event: 'frames',
        payload: { channel: 'sample', epoch: 'one', offset: 1, ...wrong },
      });
    }
    send(socket, 'realtime:other', 'broadcast', {
      event: 'frames',
      payload: { channel: 'other', epoch: 'one', offset: 1 },
    });
    send(socket, topic, 'broadcast', { event: 'frames', payload: { channel: 'sample', epoch: 'one', offset: 7 } });
    send(socket, topic, 'broadcast', {
      event: 'frames',
      payload: { channel: 'sample', epoch: 'one', offset: 8, frames: [{ type: 'x' }] },
    });
  });
  connection.join('sample');
  await waitUntil(() => events.includes('broadcast sample 8 1'), { what: 'the last' });
  expect(events).toEqual(['joined sample', 'broadcast sample 7 beacon', 'broadcast sample 8 1']);
});
