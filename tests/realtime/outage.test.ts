import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningPid, spawnPostgres, stopPostgres, untilReady } from '../../local/platform/postgres/postgres.ts';
import { isAlive } from '../../local/platform/supervisor/process.ts';
import { Reaper } from '../../local/platform/supervisor/reaper.ts';
import { waitUntil } from '../support/wait_until.ts';
import { RawClient } from './raw_client.ts';
import { keys, listen, listenToDatabase, type Stage, startStage, userOf } from './fixture.ts';

// The process dies, Postgres goes away, the day has no partition. Clients come back by themselves; what was written meanwhile is
// not pushed, as hosted, and is there for a replay.
let stage: Stage;
let sql: postgres.Sql;
const reaper = new Reaper();
let second: ReturnType<typeof spawnPostgres> | undefined;

beforeAll(async () => {
  stage = await startStage();
  sql = postgres(stage.databaseUrl, { max: 2, onnotice: () => {} });
  await sql`create policy "everybody listens" on realtime.messages for select to authenticated using (true)`;
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  if (second) await stopPostgres(second);
  await stage.stop();
  await reaper.finish();
});

const user = () => userOf(stage, { sub: '11111111-1111-4111-8111-111111111111' }, { reconnectAfterMs: () => 100 });
const send = (name: string, topic = 'room') =>
  sql`select realtime.send(jsonb_build_object('name', ${name}::text), 'x', ${topic})`;
const ready = 'Replication connection established';

test('killed and back: clients rejoin; what was written meanwhile comes by replay alone', async () => {
  const ear = await listenToDatabase(user(), 'room');
  await send('before');
  await waitUntil(() => ear.heard.length === 1, { what: 'the first' });
  await stage.kill();
  await send('meanwhile');
  await stage.revive();
  await waitUntil(() => ear.system.filter((message) => message === ready).length === 2, { what: 'replication again' });
  await send('after');
  await waitUntil(() => ear.heard.length === 2, { what: 'the last' });
  expect(ear.heard.map((message) => message.payload.name)).toEqual(['before', 'after']);
  expect(ear.states.at(-1)).toBe('SUBSCRIBED');
  const replay = { since: Date.now() - 60_000 };
  const late = await listen(user(), 'room', { private: true, broadcast: { replay } });
  await waitUntil(() => late.heard.length === 3, { what: 'the past' });
  expect(late.heard.map((message) => message.payload.name)).toEqual(['before', 'meanwhile', 'after']);
});

test('told to leave, it says so on every channel and closes with 1012', async () => {
  const raw = await RawClient.open(stage, keys.publishable);
  await raw.ask('realtime:bye', 'phx_join', {}, '1');
  const closed = new Promise((resolve) => raw.socket.once('close', resolve));
  expect(await stage.dismiss()).toBe(0);
  expect(await closed).toBe(1012);
  expect(raw.frames.at(-1)).toMatchObject({
    joinRef: '1',
    event: 'system',
    payload: { extension: 'system', status: 'ok', message: 'Server requested disconnect', channel: 'bye' },
  });
  await stage.revive();
});

test('Postgres crashes: connections stay, and messages flow again without anybody’s doing', async () => {
  const ear = await listenToDatabase(user(), 'crash');
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  // One backend killed: the server ends all others and recovers.
  process.kill(backend?.pid ?? 0, 'SIGKILL');
  let sent = 0;
  await waitUntil(
    async () => {
      await send(`try ${sent}`, 'crash').then(
        () => sent++,
        () => {},
      );
      return ear.heard.length > 0;
    },
    { what: 'a message', timeoutMs: 30_000 },
  );
  expect(ear.states).toEqual(['SUBSCRIBED']);
});

test('Postgres is away: a join is refused without being a denial, and succeeds by itself when it is back; public channels go on', async () => {
  const { cluster } = stage.scratch;
  const talk = [await listen(user(), 'talk', {}), await listen(user(), 'talk', { broadcast: { ack: true } })];
  const pid = runningPid(cluster.folder) ?? 0;
  process.kill(pid, 'SIGINT');
  await waitUntil(() => !isAlive(pid), { what: 'its end' });
  const ear = await listen(user(), 'room');
  expect(ear.states[0]).toMatch(/^CHANNEL_ERROR (UnableToConnectToProject|InitializingProjectConnection): /);
  expect(await talk[1]?.channel.send({ type: 'broadcast', event: 'x', payload: {} })).toBe('ok');
  await waitUntil(() => talk[0]?.heard.length === 1, { what: 'it' });

  second = spawnPostgres(cluster);
  reaper.watch(second.pid === undefined ? {} : { postgres: second.pid });
  await untilReady(cluster, second);
  await waitUntil(() => ear.states.at(-1) === 'SUBSCRIBED', { what: 'a join', timeoutMs: 30_000 });
  await listenToDatabase(user(), 'room');
  await send('again');
  await waitUntil(() => ear.heard.some((message) => message.payload.name === 'again'), { what: 'it' });
}, 90_000);
