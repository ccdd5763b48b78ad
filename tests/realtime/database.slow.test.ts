import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import {
  createUserClient,
  type RealtimeFixture,
  type ReceivedBroadcast,
  startRealtime,
  subscribe,
  subscribeToDatabase,
} from './fixture.ts';

// The database broadcasts each committed message once, in the order of the commits.
let fixture: RealtimeFixture;
let sql: postgres.Sql;
beforeAll(async () => {
  fixture = await startRealtime();
  sql = postgres(fixture.databaseUrl, { max: 10, onnotice: () => {} });
  await sql`create policy "every user reads" on realtime.messages for select to authenticated using (true)`;
  await sql`create table public.turns (n bigint)`;
  await sql`insert into public.turns values (0)`;
});
afterAll(async () => {
  await sql.end();
  await fixture.stop();
});

const user = (vsn: '1.0.0' | '2.0.0' = '2.0.0') =>
  createUserClient(fixture, { sub: '11111111-1111-4111-8111-111111111111' }, { vsn });
const names = (messages: ReceivedBroadcast[]) => messages.map((message) => message.payload.name);

describe('delivery of database broadcasts', () => {
  test('delivers each committed message once, in commit order, under eight concurrent writers', async () => {
    const subscriptions = [
      await subscribeToDatabase(user(), 'order'),
      await subscribeToDatabase(user('1.0.0'), 'order'),
    ];
    const turns = new Map<string, number>();
    let rolledBack = 0;
    const write = async (writer: number) => {
      for (let round = 0; round < 15; round++) {
        const name = `${writer}.${round}`;
        await sql
          .begin(async (transaction) => {
            // An early insert may commit late, so the order of the inserts differs from that of the
            // commits.
            await transaction`select realtime.send(jsonb_build_object('name', ${name}::text), 'a', 'order')`;
            await pause(Math.random() * 8);
            await transaction`select realtime.send(jsonb_build_object('name', ${name}::text), 'b', 'order')`;
            // The row lock is held until the commit, so the numbers are in the order of the
            // commits.
            const [commit] = await transaction<{ n: string }[]>`update public.turns set n = n + 1 returning n`;
            if (round % 5 === 4) throw new Error('rolled back');
            turns.set(name, Number(commit?.n));
          })
          .catch(() => rolledBack++);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    expect([turns.size, rolledBack]).toEqual([96, 24]);
    const inOrder = [...turns.keys()].sort((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0));
    for (const subscription of subscriptions) {
      await waitUntil(() => subscription.received.length >= 192, { what: 'all of it' });
      expect(names(subscription.received)).toEqual(inOrder.flatMap((name) => [name, name]));
      expect(subscription.received.map((message) => message.event).join('')).toBe('ab'.repeat(96));
    }
  });

  test('delivers a message of 200 KB unchanged, with its id in both payload and meta', async () => {
    const subscriptions = [
      await subscribeToDatabase(user(), 'large'),
      await subscribeToDatabase(user('1.0.0'), 'large'),
    ];
    const frames = Array.from({ length: 4000 }, (_, n) => ({ n, words: `é😀"\\\n ${'x'.repeat(20)}` }));
    await sql`select realtime.send(${sql.json({ frames })}, 'frames', 'large')`;
    for (const subscription of subscriptions) {
      const [message] = await waitUntil(() => (subscription.received.length > 0 ? subscription.received : undefined), {
        what: 'it',
      });
      expect(message?.payload.frames).toEqual(frames);
      expect(message?.meta).toEqual({ id: message?.payload.id });
    }
  });

  test('delivers bytes from the database to clients of protocol 2.0.0 only', async () => {
    const [version2, version1] = [
      await subscribeToDatabase(user(), 'bytes'),
      await subscribeToDatabase(user('1.0.0'), 'bytes'),
    ];
    await sql`select realtime.send_binary('\\x00ff07', 'raw', 'bytes')`;
    await sql`select realtime.send('{}', 'end', 'bytes')`;
    await waitUntil(() => version2.received.length === 2 && version1.received.length === 1, { what: 'the end' });
    expect([...new Uint8Array(version2.received[0]?.payload as unknown as ArrayBuffer)]).toEqual([0, 255, 7]);
    expect(version1.received[0]?.event).toBe('end');
  });

  test('sends nothing when a row is updated or deleted later, and nothing for an incomplete row', async () => {
    const subscription = await subscribeToDatabase(user(), 'rows');
    await sql`select realtime.send('{"name": "kept"}', 'x', 'rows')`;
    await sql`update realtime.messages set event = 'changed' where topic = 'rows'`;
    await sql`delete from realtime.messages where topic = 'rows'`;
    await sql`insert into realtime.messages (topic, extension, event, private) values ('rows', 'broadcast', 'no payload', true)`;
    await sql`insert into realtime.messages (topic, extension, payload, private) values ('rows', 'broadcast', '{}', true)`;
    await sql`insert into realtime.messages (topic, extension, payload, event, private) values ('rows', 'broadcast', '{}', 'no flag', null)`;
    await sql`select realtime.send('{"name": "public"}', 'x', 'rows', false)`;
    await sql`select realtime.send('{"name": "end"}', 'x', 'rows')`;
    await waitUntil(() => names(subscription.received).includes('end'), { what: 'the end' });
    expect(names(subscription.received)).toEqual(['kept', 'end']);
  });
});

describe('replay of past messages', () => {
  test('replays the newest 25 messages, oldest first, before live messages and without duplicates', async () => {
    const sent = async (name: number) => {
      await sql`select realtime.send(jsonb_build_object('name', ${name}::int), 'x', 'past')`;
    };
    // A message that is sent while replication opens is delivered to no client, as hosted.
    await subscribeToDatabase(user(), 'awake');
    for (let name = 1; name <= 30; name++) await sent(name);
    let writing = true;
    const more = (async () => {
      for (let name = 31; writing; name++) {
        await sent(name);
        await pause(2);
      }
    })();
    const since = Date.now() - 60_000;
    const subscription = await subscribe(user(), 'past', {
      private: true,
      broadcast: { replay: { since, limit: 100 } },
    });
    await waitUntil(() => subscription.received.filter((message) => !message.meta?.replayed)[20], {
      what: 'live ones',
    }).finally(() => {
      writing = false;
    });
    await more;
    const replayed = subscription.received.filter((message) => message.meta?.replayed);
    expect(replayed).toHaveLength(25);
    expect(subscription.received.slice(0, 25)).toEqual(replayed);
    const first = Number(names(replayed)[0]);
    expect(names(subscription.received)).toEqual(subscription.received.map((_, index) => first + index));
    expect(new Set(subscription.received.map((message) => message.meta?.id)).size).toBe(subscription.received.length);
  });

  test('replays only private messages of the topic that are newer than requested, and bytes as bytes', async () => {
    await sql`select realtime.send('{"name": "old"}', 'x', 'mixed')`;
    await pause(20);
    const [now] = await sql<{ ms: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
    await pause(5);
    await sql`select realtime.send('{"name": "public"}', 'x', 'mixed', false)`;
    await sql`select realtime.send('{"name": "elsewhere"}', 'x', 'other')`;
    await sql`select realtime.send_binary('\\x0102', 'raw', 'mixed')`;
    await sql`select realtime.send('{"name": "new"}', 'x', 'mixed')`;
    const replay = { since: Math.ceil(now?.ms ?? 0) };
    const version2 = await subscribe(user(), 'mixed', { private: true, broadcast: { replay } });
    const version1 = await subscribe(user('1.0.0'), 'mixed', { private: true, broadcast: { replay } });
    await waitUntil(() => version2.received.length === 2 && version1.received.length === 1, { what: 'the newest' });
    expect([...new Uint8Array(version2.received[0]?.payload as unknown as ArrayBuffer)]).toEqual([1, 2]);
    for (const subscription of [version2, version1]) expect(subscription.received.at(-1)?.payload.name).toBe('new');
  });
});

test('prints how long a committed row takes to reach a client, without a bound', async () => {
  const [version2, version1] = [
    await subscribeToDatabase(user(), 'latency'),
    await subscribeToDatabase(user('1.0.0'), 'latency'),
  ];
  // As in a running stack, a commit returns after it is written to disk.
  const writer = postgres(fixture.databaseUrl, { max: 1, connection: { synchronous_commit: 'on' } });
  for (const [version, subscription] of [
    ['2.0.0', version2],
    ['1.0.0', version1],
  ] as const) {
    const tookMs: number[] = [];
    subscription.channel.on('broadcast', { event: version }, ({ payload }) => {
      tookMs.push(performance.now() - Number(payload.at));
    });
    for (let count = 1; count <= 300; count++) {
      await writer`select realtime.send(jsonb_build_object('at', ${performance.now()}::float8), ${version}, 'latency')`;
      await waitUntil(() => tookMs.length === count, { what: 'it' });
    }
    tookMs.sort((a, b) => a - b);
    const at = (share: number) => tookMs[Math.floor(share * tookMs.length)]?.toFixed(1);
    console.log(`realtime.send to client, protocol ${version}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (300 rows)`);
    expect(tookMs).toHaveLength(300);
  }
  await writer.end();
});
