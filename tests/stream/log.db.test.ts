import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate stream.publications`;
  await db.sql`update stream.channels set last_offset = 0`;
});

type Replayed = { epoch: string; top: string; recovered: boolean; upto: string; frames: string[] };
const replay = async (channel: string, after: number, limit = 500, epoch?: string): Promise<Replayed> => {
  const [row] = await db.sql<Replayed[]>`
    select r.*
    from stream.channels c
    cross join stream.replay_publications(c.channel, ${epoch ?? db.sql`c.epoch`}, ${after}, ${limit}) r
    where c.channel = ${channel}`;
  if (!row) throw new Error(`no channel ${channel}`);
  return row;
};
const append = (channel: string, from: number, count: number) =>
  db.sql`select stream.append_publication(${channel}, array(select '{"n":' || n || '}' from generate_series(${from}::integer, ${from + count - 1}::integer) n))`;
const numbers = (row: Replayed) => row.frames.map((frame) => (JSON.parse(frame) as { n: number }).n);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('offsets', () => {
  test('have no gap and become visible in order, with eight writers of which some roll back', async () => {
    const WRITERS = 8;
    const ROUNDS = 40;
    let activeWriters = WRITERS;
    let committed = 0;
    const writer = async (id: number) => {
      const sql = postgres(db.url(), { max: 1, onnotice: () => {} });
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          const frames = 1 + ((id * 7 + round * 3) % 5);
          const rollsBack = (id + round) % 4 === 0;
          await sql
            .begin(async (tx) => {
              // All writers append to one channel, and some wait before they commit.
              await tx`select stream.append_publication('markets:all', array_fill(${`{"by":${id}}`}::text, array[${frames}::integer]))`;
              if (round % 5 === 0) await tx`select pg_sleep(0.004)`;
              if (rollsBack) throw new Error('rolled back');
              committed += frames;
            })
            .catch((error: Error) => {
              if (error.message !== 'rolled back') throw error;
            });
        }
      } finally {
        activeWriters -= 1;
        await sql.end();
      }
    };
    const reader = async () => {
      let reads = 0;
      while (activeWriters > 0) {
        const rows = await db.sql<{ first: string; upto: string; at: Date }[]>`
          select last_offset - cardinality(frames) + 1 as first, last_offset as upto, at from stream.publications order by last_offset`;
        let next = 1;
        for (const row of rows) {
          expect(Number(row.first), 'an offset is visible before its predecessor').toBe(next);
          next = Number(row.upto) + 1;
        }
        reads += 1;
      }
      return reads;
    };
    const [reads] = await Promise.all([reader(), ...range(1, WRITERS).map(writer)]);
    const [end] = await db.sql<{ top: string; frames: string; ordered: boolean }[]>`
      select c.last_offset as top, (select sum(cardinality(p.frames)) from stream.publications p) as frames,
             (select bool_and(o.at >= o.before) from (select p.at, lag(p.at, 1, p.at) over (order by p.last_offset) as before from stream.publications p) o) as ordered
      from stream.channels c where c.channel = 'markets:all'`;
    expect(end).toEqual({ top: String(committed), frames: String(committed), ordered: true });
    expect(reads).toBeGreaterThan(3);
  });

  test('begin at 1, and begin at 1 again under another epoch when the channel is reset', async () => {
    await append('status', 1, 3);
    const before = await replay('status', 0);
    expect([before.top, before.upto, numbers(before)]).toEqual(['3', '3', [1, 2, 3]]);
    await db.sql`select stream.reset_channel('status')`;
    await append('status', 8, 1);
    const after = await replay('status', 0);
    expect([after.top, numbers(after)]).toEqual(['1', [8]]);
    expect(after.epoch).not.toBe(before.epoch);
    expect((await replay('status', 0, 500, before.epoch)).recovered, 'an old epoch is not recovered').toBe(false);
  });

  test('a channel must have one of the known forms', async () => {
    await expect(db.sql`select stream.append_publication('markets:some', array['{}'])`).rejects.toThrow(
      /channels_channel_check/,
    );
    await expect(db.sql`select stream.append_publication('org:1', array['{}'])`).rejects.toThrow(
      /channels_channel_check/,
    );
  });
});

describe('replay_publications', () => {
  test('returns each frame once, in order, in as many pages as needed', async () => {
    await append('status', 1, 450);
    await append('status', 451, 7);
    await append('status', 458, 350);
    const all: number[] = [];
    for (let after = 0; after < 807; ) {
      const row = await replay('status', after, 120);
      expect([row.recovered, row.top]).toEqual([true, '807']);
      expect(row.frames.length).toBeLessThanOrEqual(120);
      all.push(...numbers(row));
      expect(Number(row.upto)).toBe(after + row.frames.length);
      after = Number(row.upto);
    }
    expect(all).toEqual(range(1, 807));
    expect((await replay('status', 0, 100_000)).frames, 'at most 500').toHaveLength(500);
    expect(await replay('status', 807)).toMatchObject({ recovered: true, frames: [], upto: '807' });
  });

  test('stays under 256 KiB, and returns at least one frame', async () => {
    await db.sql`select stream.append_publication('status', array_fill(repeat('x', 100000), array[5]))`;
    expect((await replay('status', 0)).frames).toHaveLength(2);
    await db.sql`select stream.append_publication('status', array[repeat('x', 400000), '{}'])`;
    expect((await replay('status', 5)).frames).toHaveLength(1);
  });

  test('returns recovered:false where there would be a gap: another position, another epoch, a purged log', async () => {
    await append('status', 1, 10);
    await append('status', 11, 10);
    expect((await replay('status', 21)).recovered).toBe(false);
    expect((await replay('status', -1)).recovered).toBe(false);
    expect((await replay('status', 5, 500, 'other')).recovered).toBe(false);
    await db.sql`delete from stream.publications where last_offset <= 10`;
    expect(await replay('status', 4)).toMatchObject({ recovered: false, frames: [] });
    expect((await replay('status', 10)).recovered).toBe(true);
    expect((await replay('status', 15)).frames).toHaveLength(5);
    await db.sql`truncate stream.publications`;
    expect((await replay('status', 10)).recovered, 'the whole log is gone').toBe(false);
    const [none] = await db.sql`select * from stream.replay_publications('candidates:chess', 'e', 0, 10)`;
    expect(none).toMatchObject({ epoch: null, recovered: false });
  });
});

describe('retention of the publication log', () => {
  test('drops ten minutes of the log once all of them are older than an hour, and nothing younger', async () => {
    const names = async () =>
      (
        await db.sql<{ name: string }[]>`
          select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'stream.publications'::regclass order by 1`
      ).map((row) => row.name);
    for (const minutes of [125, 95, 82, 59, 0])
      await db.sql`select stream.ensure_partition(clock_timestamp() - ${minutes}::integer * interval '1 minute')`;
    const endOf = (name: string) => {
      const [, year, month, day, hour, minute] = /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(name) ?? [];
      return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute) + 10);
    };
    const before = await names();
    const now = Date.now();
    await db.sql`select jobs.drop_expired_partitions()`;
    const expected = before.filter((name) => endOf(name) > now - 60 * 60_000);
    expect(await names()).toEqual(expected);
    expect([before.length - expected.length, expected.length >= 2]).toEqual([3, true]);
  });

  test('every table and partition has row-level security', async () => {
    await append('status', 1, 1);
    const open = await db.sql`
      select relname from pg_class
      where relnamespace = 'stream'::regnamespace and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)`;
    expect(open).toEqual([]);
  });
});
