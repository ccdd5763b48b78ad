import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';

// What the relay queues for Redis. tests/stream/carrier/redis.system.test.ts runs Redis.

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
beforeEach(async () => {
  await db.sql`select stream.use_carrier('embedded')`;
  await db.sql`select stream.use_carrier('redis')`;
  await db.sql`select stream.relay_pending()`;
  await taken();
});
afterAll(() => db.close());

type Queued = { channel: string; frame: string; version: number; version_epoch: string };

/** The frames that were queued since the last call. */
const taken = async () =>
  await db.sql<Queued[]>`
    with taken as (delete from stream.carrier_commands returning *)
    select t.payload ->> 'channel' as channel, t.payload ->> 'version_epoch' as version_epoch,
           convert_from(decode(t.payload ->> 'b64data', 'base64'), 'UTF8') as frame,
           (t.payload ->> 'version')::integer as version
    from taken t where t.method = 'publish' and t.partition = 0 order by t.id`;
const publish = (channel: string, ...frames: string[]) =>
  db.sql`select stream.append_publication(${channel}, ${frames})`;
const relay = () => db.sql`select stream.relay_pending()`;
const positionOf = async (channel: string) =>
  (
    await db.sql<{ epoch: string; last_offset: number }[]>`
    select epoch, last_offset::integer from stream.channels where channel = ${channel}`
  )[0];

test('each frame is queued once, in order, with its bytes, its offset and the epoch of the log', async () => {
  const frames = ['{"type":"price", "z":1.10,"a":"é\\u00e9 😀"}', `{"long":"${'x'.repeat(5_000)}"}`];
  await publish('markets:all', ...frames);
  await relay();
  await publish('markets:all', '{"type":"last"}');
  await publish('status', '{"type":"feed"}');
  await relay();
  await relay();
  const queued = await taken();
  const top = await positionOf('markets:all');
  const ours = queued.filter(({ channel }) => channel === 'markets:all');
  expect(ours.map(({ frame }) => frame)).toEqual([...frames, '{"type":"last"}']);
  expect(ours.map(({ version }) => version)).toEqual([2, 1, 0].map((n) => (top?.last_offset ?? 0) - n));
  expect(new Set(ours.map(({ version_epoch }) => version_epoch))).toEqual(new Set([top?.epoch]));
  expect(queued.filter(({ channel }) => channel === 'status')).toHaveLength(1);
});

test.for([
  ['frames of the log are gone', `delete from stream.publications where channel = 'markets:all'`],
  ['the log was reset', `select stream.reset_channel('markets:all')`],
])('the relay stops with a hint where %s, and the hint lets it go on', async ([, cause = '']) => {
  await publish('markets:all', '{"n":1}', '{"n":2}');
  await db.sql.unsafe(cause);
  await publish('markets:all', '{"n":3}');
  await publish('status', '{"n":3}');
  const error = await relay().catch((reason: unknown) => reason as { message: string; hint: string });
  expect(error).toMatchObject({ message: 'the log of channel markets:all no longer follows what Redis has' });
  // Nothing of any channel is queued, so no frame takes the number of another one.
  expect(await taken()).toEqual([]);
  const hint = 'hint' in error ? error.hint : '';
  const calls = [...hint.matchAll(/stream\.use_carrier\('\w+'\)/g)].map(([call]) => call);
  expect(calls).toHaveLength(2);
  for (const call of calls) await db.sql.unsafe(`select ${call}`);
  await relay();
  const queued = (await taken()).filter(({ channel }) => channel === 'markets:all');
  expect(queued.at(-1)?.frame).toBe('{"n":3}');
  expect(queued.at(-1)?.version).toBe((await positionOf('markets:all'))?.last_offset);
});

test('a relay that stops has its reason in the log of Postgres, and broadcasts go on', async () => {
  const notices: string[] = [];
  const one = postgres(db.url(), { max: 1, onnotice: ({ message }) => notices.push(message ?? '') });
  await publish('markets:all', '{"n":1}');
  await db.sql`select stream.reset_channel('markets:all')`;
  await publish('markets:all', '{"n":2}');
  await one`select jobs.publish_pending()`;
  expect(notices).toContainEqual(expect.stringMatching(/^Frames were not given .*no longer follows what Redis has/));
  await one.end();
});

test('a backlog is queued in rounds of 10,000 frames, also where a round ends within a publication', async () => {
  const start = (await positionOf('markets:all'))?.last_offset ?? 0;
  // 70 publications of 150 frames, so that the 67th contains the last frame of the first round.
  await db.sql`
    select stream.append_publication('markets:all', array(select '{"n":' || p * 150 + n || '}' from generate_series(1, 150) n))
    from generate_series(0, 69) p`;
  const rounds: (number | undefined)[] = [];
  for (let round = 0; round < 3; round += 1)
    rounds.push((await db.sql<{ n: number }[]>`select stream.relay_pending() as n`)[0]?.n);
  expect(rounds).toEqual([10_000, 500, 0]);
  const queued = (await taken()).filter(({ channel }) => channel === 'markets:all');
  expect(queued.map(({ version }) => version)).toEqual(Array.from({ length: 10_500 }, (_, n) => start + n + 1));
  expect(queued.map(({ frame }) => frame)).toEqual(Array.from({ length: 10_500 }, (_, n) => `{"n":${n + 1}}`));
});

test('a change of the carrier waits for the batch that the consumer of Centrifugo publishes', async () => {
  const consumer = postgres(db.url(), { max: 1, onnotice: () => {} });
  await consumer`begin`;
  await consumer`select pg_try_advisory_xact_lock(hashtext('centrifugo_partition_lock_commands0'))`;
  let isChanged = false;
  const change = db.sql`select stream.use_carrier('embedded')`.then(() => {
    isChanged = true;
  });
  const waiting = () => db.sql`
    select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
  await waitUntil(async () => (await waiting()).length === 1, { what: 'the change waits' });
  expect(isChanged).toBe(false);
  await consumer`commit`;
  await change;
  await consumer.end();
});
