import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SocketEvents } from '../../../functions/_shared/reconnecting_socket.ts';
import type { JoinToken } from '../../../functions/stream/join_token.ts';
import { RealtimeConnection } from '../../../functions/stream/realtime_connection.ts';

// A stub in virtual time provokes the situations that Realtime causes only once in a while.

type Inbound = { topic: string; event: string; ref: string; payload: { access_token?: string } };
/** One end of the stub's connection. */
type StubSocket = Pick<SocketEvents, 'message'>;
const open: RealtimeConnection[] = [];
beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.stop();
  vi.useRealTimers();
});

/** Lets time pass. What is due at the present moment happens, too. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function startStub(
  respond: (message: Inbound, socket: StubSocket, connection: number) => void,
  token: JoinToken = async () => 'a.signed.token',
) {
  const inbound: Inbound[] = [];
  const addresses: string[] = [];
  const events: string[] = [];
  const connection = new RealtimeConnection({
    url: 'http://realtime.test',
    apikey: 'sb_publishable_test',
    token,
    log: () => {},
    make: (url, _, on) => {
      addresses.push(url);
      const number = addresses.length;
      setTimeout(() => on.open());
      return {
        send(text) {
          const message: Inbound = JSON.parse(text);
          inbound.push(message);
          // Without an answer, the connection counts as silent.
          if (message.event === 'heartbeat') send(on, message.topic, 'phx_reply', { status: 'ok' }, message.ref);
          else respond(message, on, number);
        },
        close: () => on.close('1000'),
      };
    },
    on: {
      joined: (topic) => events.push(`joined ${topic}`),
      left: (topic) => events.push(`left ${topic}`),
      broadcast: (topic, { offset, frames }) =>
        events.push(`broadcast ${topic} ${offset} ${frames?.length ?? 'beacon'}`),
    },
  });
  connection.start();
  open.push(connection);
  return { connection, events, inbound, addresses, connections: () => addresses.length };
}

const send = (socket: StubSocket, topic: string, event: string, payload: unknown, ref: string | null = null) =>
  void setTimeout(() => socket.message(JSON.stringify({ topic, event, payload, ref })));
const replicationReady = { extension: 'system', status: 'ok', message: 'Replication connection established' };

test('a topic counts as joined when a message of the database arrives, not when the join is answered', async () => {
  const { connection, events } = startStub(({ topic, event, ref }, socket) => {
    if (event !== 'phx_join') return;
    send(socket, topic, 'phx_reply', { status: 'ok', response: {} }, ref);
    setTimeout(() => send(socket, topic, 'system', replicationReady), 100);
  });
  connection.join('sample');
  await pass(99);
  expect([connection.isJoined('sample'), events]).toEqual([false, []]);
  await pass(10);
  expect([connection.isJoined('sample'), events]).toEqual([true, ['joined sample']]);
});

test('the address has the publishable key only, and each join has the signed token', async () => {
  const { connection, inbound, addresses } = startStub(({ topic, event }, socket) => {
    if (event === 'phx_join') send(socket, topic, 'system', replicationReady);
  });
  connection.join('sample');
  await pass(10);
  expect(connection.isJoined('sample')).toBe(true);
  expect(addresses).toEqual(['ws://realtime.test/realtime/v1/websocket?apikey=sb_publishable_test&vsn=1.0.0']);
  expect(inbound.map(({ event, payload }) => [event, payload.access_token])).toEqual([['phx_join', 'a.signed.token']]);
});

test('each joined topic receives the next token once it is signed', async () => {
  let token = 'first';
  const { connection, inbound } = startStub(
    ({ topic, event }, socket) => {
      if (event === 'phx_join') send(socket, topic, 'system', replicationReady);
    },
    async () => token,
  );
  connection.join('sample');
  connection.join('status');
  await pass(10);
  expect([connection.isJoined('sample'), connection.isJoined('status')]).toEqual([true, true]);
  token = 'second';
  const renewals = () => inbound.filter(({ event }) => event === 'access_token');
  await pass(9_900);
  expect(renewals()).toEqual([]);
  // With the heartbeat of every ten seconds, and only once.
  await pass(30_100);
  expect(inbound.filter(({ event }) => event === 'heartbeat')).toHaveLength(4);
  expect(renewals().map(({ topic, payload }) => [topic, payload.access_token])).toEqual([
    ['realtime:sample', 'second'],
    ['realtime:status', 'second'],
  ]);
});

test('a topic receives the next token also if another topic has joined with it first', async () => {
  let token = 'first';
  const { connection, inbound } = startStub(
    ({ topic, event }, socket) => {
      if (event === 'phx_join') send(socket, topic, 'system', replicationReady);
    },
    async () => token,
  );
  connection.join('sample');
  await pass(10);
  token = 'second';
  connection.join('status');
  await pass(10);
  expect([connection.isJoined('sample'), connection.isJoined('status')]).toEqual([true, true]);
  await pass(30_000);
  const renewals = inbound.filter(({ event }) => event === 'access_token');
  expect(renewals.map(({ topic, payload }) => [topic, payload.access_token])).toEqual([['realtime:sample', 'second']]);
});

test('a key that cannot sign is logged, joins nothing and ends nothing', async () => {
  const { connection, inbound } = startStub(
    () => {},
    () => Promise.reject(new Error('STREAM_SIGNING_KEY must be a private JWK')),
  );
  connection.join('sample');
  await pass(22_000);
  expect(inbound.map(({ event }) => event)).toEqual(['heartbeat', 'heartbeat']);
  expect(connection.isJoined('sample')).toBe(false);
});

test('a new connection is made when the token of the connection has expired', async () => {
  const { connection, connections } = startStub(({ topic, event, ref }, socket, connection) => {
    if (event !== 'phx_join') return;
    const reason = 'InvalidJWTToken: Token has expired 3 seconds ago';
    if (connection === 1) send(socket, topic, 'phx_reply', { status: 'error', response: { reason } }, ref);
    else send(socket, topic, 'system', replicationReady);
  });
  connection.join('sample');
  // The backoff before the second connection is 200 ms at most.
  await pass(300);
  expect([connection.isJoined('sample'), connections()]).toEqual([true, 2]);
});

test('a closed channel is joined again after three seconds, and reported as away meanwhile', async () => {
  let joins = 0;
  const { connection, events } = startStub(({ topic, event }, socket) => {
    if (event !== 'phx_join') return;
    joins += 1;
    send(socket, topic, 'system', replicationReady);
    if (joins === 1) send(socket, topic, 'phx_close', {});
  });
  connection.join('sample');
  await pass(2_990);
  expect([joins, events]).toEqual([1, ['joined sample', 'left sample']]);
  await pass(20);
  expect([joins, events]).toEqual([2, ['joined sample', 'left sample', 'joined sample']]);
});

test('messages that are no broadcast of ours are ignored', async () => {
  const { connection, events } = startStub(({ topic, event }, socket) => {
    if (event !== 'phx_join') return;
    setTimeout(() => socket.message('}{'));
    setTimeout(() => socket.message('null'));
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
  await pass(10);
  expect(events).toEqual(['joined sample', 'broadcast sample 7 beacon', 'broadcast sample 8 1']);
});
