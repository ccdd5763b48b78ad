import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningPid, spawnPostgres, stopPostgres, untilReady } from '../../local/platform/postgres/postgres.ts';
import { isAlive } from '../../local/platform/supervisor/process.ts';
import { Reaper } from '../../local/platform/supervisor/reaper.ts';
import { waitUntil } from '../support/wait_until.ts';
import {
  createUserClient,
  keys,
  type RealtimeFixture,
  startRealtime,
  subscribe,
  subscribeToDatabase,
} from './fixture.ts';
import { RawClient } from './raw_client.ts';

// The process or Postgres fails. Clients reconnect by themselves. Messages that were written
// meanwhile are not pushed, as hosted; a replay returns them.
let fixture: RealtimeFixture;
let sql: postgres.Sql;
const reaper = new Reaper();
let second: ReturnType<typeof spawnPostgres> | undefined;

beforeAll(async () => {
  fixture = await startRealtime();
  sql = postgres(fixture.databaseUrl, { max: 2, onnotice: () => {} });
  await sql`create policy "every user reads" on realtime.messages for select to authenticated using (true)`;
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  if (second) await stopPostgres(second);
  await fixture.stop();
  await reaper.finish();
});

const user = () =>
  createUserClient(fixture, { sub: '11111111-1111-4111-8111-111111111111' }, { reconnectAfterMs: () => 100 });
const send = (name: string, topic = 'room') =>
  sql`select realtime.send(jsonb_build_object('name', ${name}::text), 'x', ${topic})`;
const ready = 'Replication connection established';

test('clients rejoin after a kill of the process, and receive missed messages only by replay', async () => {
  const subscription = await subscribeToDatabase(user(), 'room');
  await send('before');
  await waitUntil(() => subscription.received.length === 1, { what: 'the first' });
  await fixture.kill();
  await send('meanwhile');
  await fixture.restart();
  await waitUntil(() => subscription.systemMessages.filter((message) => message === ready).length === 2, {
    what: 'replication again',
  });
  await send('after');
  await waitUntil(() => subscription.received.length === 2, { what: 'the last' });
  expect(subscription.received.map((message) => message.payload.name)).toEqual(['before', 'after']);
  expect(subscription.states.at(-1)).toBe('SUBSCRIBED');
  const replay = { since: Date.now() - 60_000 };
  const late = await subscribe(user(), 'room', { private: true, broadcast: { replay } });
  await waitUntil(() => late.received.length === 3, { what: 'the replay' });
  expect(late.received.map((message) => message.payload.name)).toEqual(['before', 'meanwhile', 'after']);
});

test('sends a disconnect message on each channel and closes with 1012 when it is terminated', async () => {
  const raw = await RawClient.open(fixture, keys.publishable);
  await raw.request('realtime:bye', 'phx_join', {}, '1');
  const closed = new Promise((resolve) => raw.socket.once('close', resolve));
  expect(await fixture.terminate()).toBe(0);
  expect(await closed).toBe(1012);
  expect(raw.frames.at(-1)).toMatchObject({
    joinRef: '1',
    event: 'system',
    payload: { extension: 'system', status: 'ok', message: 'Server requested disconnect', channel: 'bye' },
  });
  await fixture.restart();
});

test('keeps connections through a crash of Postgres and delivers messages again afterwards', async () => {
  const subscription = await subscribeToDatabase(user(), 'crash');
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  // When one backend is killed, the server ends all others and recovers.
  process.kill(backend?.pid ?? 0, 'SIGKILL');
  let sent = 0;
  await waitUntil(
    async () => {
      await send(`try ${sent}`, 'crash').then(
        () => sent++,
        () => {},
      );
      return subscription.received.length > 0;
    },
    { what: 'a message', timeoutMs: 30_000 },
  );
  expect(subscription.states).toEqual(['SUBSCRIBED']);
});

test('while Postgres is down, public channels work and private joins fail only until it is back', async () => {
  const { cluster } = fixture.scratch;
  const members = [
    await subscribe(user(), 'members', {}),
    await subscribe(user(), 'members', { broadcast: { ack: true } }),
  ];
  const pid = runningPid(cluster.folder) ?? 0;
  process.kill(pid, 'SIGINT');
  await waitUntil(() => !isAlive(pid), { what: 'the end of Postgres' });
  const subscription = await subscribe(user(), 'room');
  expect(subscription.states[0]).toMatch(/^CHANNEL_ERROR (UnableToConnectToProject|InitializingProjectConnection): /);
  expect(await members[1]?.channel.send({ type: 'broadcast', event: 'x', payload: {} })).toBe('ok');
  await waitUntil(() => members[0]?.received.length === 1, { what: 'it' });

  second = spawnPostgres(cluster);
  reaper.watch(second.pid === undefined ? {} : { postgres: second.pid });
  await untilReady(cluster, second);
  await waitUntil(() => subscription.states.at(-1) === 'SUBSCRIBED', { what: 'a join', timeoutMs: 30_000 });
  await subscribeToDatabase(user(), 'room');
  await send('again');
  await waitUntil(() => subscription.received.some((message) => message.payload.name === 'again'), { what: 'it' });
});
