import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { keys, type RealtimeFixture, startRealtime } from './fixture.ts';
import { RawClient, rejectedConnection } from './raw_client.ts';

// The platform's quotas. They are off unless REALTIME_QUOTAS sets them.
let fixture: RealtimeFixture;
beforeAll(async () => {
  const quotas = {
    connections: 3,
    joins_per_second: 4,
    channels_per_connection: 2,
    messages_per_second: 20,
    payload_kb: 1,
  };
  fixture = await startRealtime({ REALTIME_QUOTAS: JSON.stringify(quotas) });
});
afterAll(() => fixture.stop());

const join = (client: RawClient, topic: string, config: object = {}) =>
  client.request(`realtime:${topic}`, 'phx_join', { config });
const closed = (client: RawClient) =>
  new Promise<void>((resolve) => {
    client.socket.once('close', () => resolve());
    client.socket.close();
  });

test('limits the connections, and the channels of one connection', async () => {
  const clients = [];
  for (let count = 0; count < 3; count++) clients.push(await RawClient.open(fixture, keys.publishable));
  const query = `?apikey=${keys.publishable}`;
  expect(await rejectedConnection(fixture, query)).toEqual({
    status: 429,
    body: { error: 'Too many connected users' },
  });
  const [client] = clients;
  if (!client) throw new Error('no client');
  for (const topic of ['one', 'two']) expect((await join(client, topic)).status).toBe('ok');
  expect((await join(client, 'three')).response).toEqual({ reason: 'ChannelRateLimitReached: Too many channels' });
  // A second join of a topic does not count as another channel.
  expect((await join(client, 'two')).status).toBe('ok');
  await Promise.all(clients.map(closed));
});

test('rejects an oversized payload over the socket and HTTP, and delivers none from the database', async () => {
  const [sender, receiver] = [
    await RawClient.open(fixture, keys.publishable),
    await RawClient.open(fixture, keys.publishable),
  ];
  for (const client of [sender, receiver])
    await join(client, 'size', { broadcast: { ack: true, replication_ready: true } });
  await waitUntil(() => receiver.frames.some((frame) => frame.event === 'system'), { what: 'replication' });
  const large = { event: 'e', type: 'broadcast', payload: { text: 'x'.repeat(2_000) } };
  expect(await sender.request('realtime:size', 'broadcast', large)).toEqual({
    status: 'error',
    response: { reason: 'payload_size_exceeded' },
  });
  const sql = postgres(fixture.databaseUrl, { max: 1 });
  await sql`select realtime.send(${sql.json({ text: 'x'.repeat(2_000) })}, 'e', 'size', false)`;
  await sql.end();
  const single = `${fixture.url}/realtime/v1/api/broadcast/size/events/e`;
  const body = JSON.stringify(large.payload);
  const response = await fetch(single, { method: 'POST', headers: { apikey: keys.publishable }, body });
  expect(response.status).toBe(422);
  await sender.request('realtime:size', 'broadcast', { ...large, payload: {} });
  const broadcasts = await waitUntil(() => receiver.frames.filter((frame) => frame.event === 'broadcast'), {
    what: 'the small one',
  });
  expect(broadcasts.map((frame) => frame.payload)).toEqual([{ ...large, payload: {} }]);
  await Promise.all([sender, receiver].map(closed));
});

test('closes a channel with a reason when its deliveries exceed the quota, averaged over a minute', async () => {
  const [sender, receiver] = [
    await RawClient.open(fixture, keys.publishable),
    await RawClient.open(fixture, keys.publishable),
  ];
  for (const client of [sender, receiver]) await join(client, 'rate');
  const systemFrame = () => sender.frames.find((frame) => frame.event === 'system');
  // 60 a second, each sent and delivered once: six times the quota.
  const sendSix = () => {
    for (let count = 0; count < 6; count++) sender.push('realtime:rate', 'broadcast', { event: 'e', payload: {} });
    return systemFrame();
  };
  const end = await waitUntil(sendSix, { what: 'the end of the channel', timeoutMs: 20_000, everyMs: 100 });
  expect(end.payload).toMatchObject({ status: 'error', message: 'Too many messages per second' });
  await waitUntil(() => sender.frames.some((frame) => frame.event === 'phx_close'), { what: 'phx_close' });
  await Promise.all([sender, receiver].map(closed));
});

test('rejects joins over the limit and drops the connection', async () => {
  const client = await RawClient.open(fixture, keys.publishable);
  const closed = new Promise((resolve) => client.socket.once('close', resolve));
  const rejection = () =>
    client.frames.find((frame) =>
      JSON.stringify(frame.payload).includes('ClientJoinRateLimitReached: Too many joins per second'),
    );
  const joinAgain = () => {
    if (client.socket.readyState === client.socket.OPEN) client.push('realtime:again', 'phx_join', {});
    return rejection();
  };
  await waitUntil(joinAgain, { what: 'a rejected join', timeoutMs: 20_000, everyMs: 20 });
  await closed;
});
