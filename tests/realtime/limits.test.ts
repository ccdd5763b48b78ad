import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { RawClient, refusedConnection } from './raw_client.ts';
import { keys, type Stage, startStage } from './fixture.ts';

// The platform's quotas, which are off unless they are asked for.
let stage: Stage;
beforeAll(async () => {
  const quotas = {
    connections: 3,
    joins_per_second: 4,
    channels_per_connection: 2,
    messages_per_second: 20,
    payload_kb: 1,
  };
  stage = await startStage({ REALTIME_QUOTAS: JSON.stringify(quotas) });
});
afterAll(() => stage.stop());

const join = (client: RawClient, topic: string, config: object = {}) =>
  client.ask(`realtime:${topic}`, 'phx_join', { config });
const closed = (client: RawClient) =>
  new Promise<void>((resolve) => {
    client.socket.once('close', () => resolve());
    client.socket.close();
  });

test('connections, and channels of one connection', async () => {
  const clients = [];
  for (let count = 0; count < 3; count++) clients.push(await RawClient.open(stage, keys.publishable));
  const query = `?apikey=${keys.publishable}`;
  expect(await refusedConnection(stage, query)).toEqual({ status: 429, body: { error: 'Too many connected users' } });
  const [client] = clients;
  if (!client) throw new Error('no client');
  for (const topic of ['one', 'two']) expect((await join(client, topic)).status).toBe('ok');
  expect((await join(client, 'three')).response).toEqual({ reason: 'ChannelRateLimitReached: Too many channels' });
  // Joining a topic again takes no second place.
  expect((await join(client, 'two')).status).toBe('ok');
  await Promise.all(clients.map(closed));
});

test('a payload that is too large is refused with ack, and not delivered from anywhere', async () => {
  const [speaker, ear] = [await RawClient.open(stage, keys.publishable), await RawClient.open(stage, keys.publishable)];
  for (const client of [speaker, ear])
    await join(client, 'size', { broadcast: { ack: true, replication_ready: true } });
  await waitUntil(() => ear.frames.some((frame) => frame.event === 'system'), { what: 'replication' });
  const large = { event: 'e', type: 'broadcast', payload: { text: 'x'.repeat(2_000) } };
  expect(await speaker.ask('realtime:size', 'broadcast', large)).toEqual({
    status: 'error',
    response: { reason: 'payload_size_exceeded' },
  });
  const sql = postgres(stage.databaseUrl, { max: 1 });
  await sql`select realtime.send(${sql.json({ text: 'x'.repeat(2_000) })}, 'e', 'size', false)`;
  await sql.end();
  const single = `${stage.url}/realtime/v1/api/broadcast/size/events/e`;
  const body = JSON.stringify(large.payload);
  const answer = await fetch(single, { method: 'POST', headers: { apikey: keys.publishable }, body });
  expect(answer.status).toBe(422);
  await speaker.ask('realtime:size', 'broadcast', { ...large, payload: {} });
  const heard = await waitUntil(() => ear.frames.filter((frame) => frame.event === 'broadcast'), {
    what: 'the small one',
  });
  expect(heard.map((frame) => frame.payload)).toEqual([{ ...large, payload: {} }]);
  await Promise.all([speaker, ear].map(closed));
});

test('messages: each delivery counts; over the average of the last minute the channel closes, with the reason', async () => {
  const [speaker, ear] = [await RawClient.open(stage, keys.publishable), await RawClient.open(stage, keys.publishable)];
  for (const client of [speaker, ear]) await join(client, 'rate');
  const told = () => speaker.frames.find((frame) => frame.event === 'system');
  // 60 a second, each sent and delivered once: six times what is allowed.
  const speak = () => {
    for (let count = 0; count < 6; count++) speaker.push('realtime:rate', 'broadcast', { event: 'e', payload: {} });
    return told();
  };
  const end = await waitUntil(speak, { what: 'the end of the channel', timeoutMs: 20_000, everyMs: 100 });
  expect(end.payload).toMatchObject({ status: 'error', message: 'Too many messages per second' });
  await waitUntil(() => speaker.frames.some((frame) => frame.event === 'phx_close'), { what: 'phx_close' });
  await Promise.all([speaker, ear].map(closed));
}, 40_000);

test('joins: over the limit they are refused and the connection is dropped', async () => {
  const client = await RawClient.open(stage, keys.publishable);
  const gone = new Promise((resolve) => client.socket.once('close', resolve));
  const refused = () =>
    client.frames.find((frame) =>
      JSON.stringify(frame.payload).includes('ClientJoinRateLimitReached: Too many joins per second'),
    );
  const joinAgain = () => {
    if (client.socket.readyState === client.socket.OPEN) client.push('realtime:again', 'phx_join', {});
    return refused();
  };
  await waitUntil(joinAgain, { what: 'joins are refused', timeoutMs: 20_000, everyMs: 20 });
  await gone;
}, 40_000);
