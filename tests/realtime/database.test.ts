import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type Heard, listen, listenToDatabase, type Stage, startStage, userOf } from './fixture.ts';

// What the database broadcasts: what is committed, once, in the order of the commits.
let stage: Stage;
let sql: postgres.Sql;
beforeAll(async () => {
  stage = await startStage();
  sql = postgres(stage.databaseUrl, { max: 10, onnotice: () => {} });
  await sql`create policy "everybody listens" on realtime.messages for select to authenticated using (true)`;
  await sql`create table public.turns (n bigint)`;
  await sql`insert into public.turns values (0)`;
});
afterAll(async () => {
  await sql.end();
  await stage.stop();
});

const user = (vsn: '1.0.0' | '2.0.0' = '2.0.0') =>
  userOf(stage, { sub: '11111111-1111-4111-8111-111111111111' }, { vsn });
const names = (heard: Heard[]) => heard.map((message) => message.payload.name);

describe('delivery', () => {
  test('under eight writers at once: every committed message, in the order of the commits, each transaction in one piece', async () => {
    const ears = [await listenToDatabase(user(), 'order'), await listenToDatabase(user('1.0.0'), 'order')];
    const turns = new Map<string, number>();
    let undone = 0;
    const write = async (writer: number) => {
      for (let round = 0; round < 15; round++) {
        const name = `${writer}.${round}`;
        await sql
          .begin(async (transaction) => {
            // Sent early, committed late: the order of the inserts is another one.
            await transaction`select realtime.send(jsonb_build_object('name', ${name}::text), 'a', 'order')`;
            await pause(Math.random() * 8);
            await transaction`select realtime.send(jsonb_build_object('name', ${name}::text), 'b', 'order')`;
            // The lock is held beyond the commit, so the numbers are in its order.
            const [turn] = await transaction<{ n: string }[]>`update public.turns set n = n + 1 returning n`;
            if (round % 5 === 4) throw new Error('undone');
            turns.set(name, Number(turn?.n));
          })
          .catch(() => undone++);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    expect([turns.size, undone]).toEqual([96, 24]);
    const inOrder = [...turns.keys()].sort((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0));
    for (const ear of ears) {
      await waitUntil(() => ear.heard.length >= 192, { what: 'all of it' });
      expect(names(ear.heard)).toEqual(inOrder.flatMap((name) => [name, name]));
      expect(ear.heard.map((message) => message.event).join('')).toBe('ab'.repeat(96));
    }
  });

  test('a message of 200 KB with every kind of letter comes as it was, its id in payload and meta alike', async () => {
    const ears = [await listenToDatabase(user(), 'large'), await listenToDatabase(user('1.0.0'), 'large')];
    const frames = Array.from({ length: 4000 }, (_, n) => ({ n, words: `é😀"\\\n ${'x'.repeat(20)}` }));
    await sql`select realtime.send(${sql.json({ frames })}, 'frames', 'large')`;
    for (const ear of ears) {
      const [message] = await waitUntil(() => (ear.heard.length > 0 ? ear.heard : undefined), { what: 'it' });
      expect(message?.payload.frames).toEqual(frames);
      expect(message?.meta).toEqual({ id: message?.payload.id });
    }
  });

  test('bytes reach clients of protocol 2.0.0 alone', async () => {
    const [two, one] = [await listenToDatabase(user(), 'bytes'), await listenToDatabase(user('1.0.0'), 'bytes')];
    await sql`select realtime.send_binary('\\x00ff07', 'raw', 'bytes')`;
    await sql`select realtime.send('{}', 'end', 'bytes')`;
    await waitUntil(() => two.heard.length === 2 && one.heard.length === 1, { what: 'the end' });
    expect([...new Uint8Array(two.heard[0]?.payload as unknown as ArrayBuffer)]).toEqual([0, 255, 7]);
    expect(one.heard[0]?.event).toBe('end');
  });

  test('rows that are changed or deleted afterwards, and rows that are not whole, tell nobody anything more', async () => {
    const ear = await listenToDatabase(user(), 'rows');
    await sql`select realtime.send('{"name": "kept"}', 'x', 'rows')`;
    await sql`update realtime.messages set event = 'changed' where topic = 'rows'`;
    await sql`delete from realtime.messages where topic = 'rows'`;
    await sql`insert into realtime.messages (topic, extension, event, private) values ('rows', 'broadcast', 'no payload', true)`;
    await sql`insert into realtime.messages (topic, extension, payload, private) values ('rows', 'broadcast', '{}', true)`;
    await sql`insert into realtime.messages (topic, extension, payload, event, private) values ('rows', 'broadcast', '{}', 'no flag', null)`;
    await sql`select realtime.send('{"name": "public"}', 'x', 'rows', false)`;
    await sql`select realtime.send('{"name": "end"}', 'x', 'rows')`;
    await waitUntil(() => names(ear.heard).includes('end'), { what: 'the end' });
    expect(names(ear.heard)).toEqual(['kept', 'end']);
  });
});

describe('replay', () => {
  test('the newest of what was sent since, oldest first, before anything that is live, and nothing twice', async () => {
    const sent = async (name: number) => {
      await sql`select realtime.send(jsonb_build_object('name', ${name}::int), 'x', 'past')`;
    };
    // What is sent while replication is being opened is pushed to nobody, as hosted.
    await listenToDatabase(user(), 'awake');
    for (let name = 1; name <= 30; name++) await sent(name);
    let writing = true;
    const more = (async () => {
      for (let name = 31; writing; name++) {
        await sent(name);
        await pause(2);
      }
    })();
    const since = Date.now() - 60_000;
    const ear = await listen(user(), 'past', { private: true, broadcast: { replay: { since, limit: 100 } } });
    await waitUntil(() => ear.heard.filter((message) => !message.meta?.replayed)[20], { what: 'live ones' }).finally(
      () => {
        writing = false;
      },
    );
    await more;
    const replayed = ear.heard.filter((message) => message.meta?.replayed);
    expect(replayed).toHaveLength(25);
    expect(ear.heard.slice(0, 25)).toEqual(replayed);
    const first = Number(names(replayed)[0]);
    expect(names(ear.heard)).toEqual(ear.heard.map((_, index) => first + index));
    expect(new Set(ear.heard.map((message) => message.meta?.id)).size).toBe(ear.heard.length);
  });

  test('only what is newer than asked, of this topic, private, and bytes as bytes', async () => {
    await sql`select realtime.send('{"name": "old"}', 'x', 'mixed')`;
    await pause(20);
    const [now] = await sql<{ ms: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
    await pause(5);
    await sql`select realtime.send('{"name": "public"}', 'x', 'mixed', false)`;
    await sql`select realtime.send('{"name": "elsewhere"}', 'x', 'other')`;
    await sql`select realtime.send_binary('\\x0102', 'raw', 'mixed')`;
    await sql`select realtime.send('{"name": "new"}', 'x', 'mixed')`;
    const replay = { since: Math.ceil(now?.ms ?? 0) };
    const two = await listen(user(), 'mixed', { private: true, broadcast: { replay } });
    const one = await listen(user('1.0.0'), 'mixed', { private: true, broadcast: { replay } });
    await waitUntil(() => two.heard.length === 2 && one.heard.length === 1, { what: 'the newest' });
    expect([...new Uint8Array(two.heard[0]?.payload as unknown as ArrayBuffer)]).toEqual([1, 2]);
    for (const ear of [two, one]) expect(ear.heard.at(-1)?.payload.name).toBe('new');
  });
});

test('how long a committed row takes to a client (printed, not judged)', async () => {
  const [two, one] = [await listenToDatabase(user(), 'latency'), await listenToDatabase(user('1.0.0'), 'latency')];
  // As in a stack: a commit is written before it is answered.
  const writer = postgres(stage.databaseUrl, { max: 1, connection: { synchronous_commit: 'on' } });
  for (const [version, ear] of [
    ['2.0.0', two],
    ['1.0.0', one],
  ] as const) {
    const took: number[] = [];
    ear.channel.on('broadcast', { event: version }, ({ payload }) => {
      took.push(performance.now() - Number(payload.at));
    });
    for (let count = 1; count <= 300; count++) {
      await writer`select realtime.send(jsonb_build_object('at', ${performance.now()}::float8), ${version}, 'latency')`;
      await waitUntil(() => took.length === count, { what: 'it' });
    }
    took.sort((a, b) => a - b);
    const at = (share: number) => took[Math.floor(share * took.length)]?.toFixed(1);
    console.log(`realtime.send to client, protocol ${version}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (300 rows)`);
    expect(took).toHaveLength(300);
  }
  await writer.end();
});
