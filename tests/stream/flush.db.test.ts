import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, putPair, putUpdate } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { untilWaitingForLock } from '../support/lock_wait.ts';
import {
  type Batch,
  broadcasts,
  endBackendDuring,
  lastOffset,
  publishedFrames,
  resetTestState,
} from './published_frames.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await resetTestState(db.sql);
});

const flush = async () => {
  const [row] = await db.sql<{ sent: number }[]>`select stream.broadcast_pending() as sent`;
  return row?.sent ?? 0;
};
const append = (channel: string, from: number, count: number, sql: postgres.Sql | postgres.TransactionSql = db.sql) =>
  sql`select stream.append_publication(${channel}, array(select '{"type":"x","n":' || n || '}' from generate_series(${from}::integer, ${from + count - 1}::integer) n))`;
/** The offsets of the frames in these batches, in order. */
const covered = (batches: Batch[]) =>
  batches.flatMap(({ offset, frames = [] }) => frames.map((_, i) => offset - frames.length + 1 + i));
const range = (to: number) => Array.from({ length: to }, (_, i) => i + 1);

describe('broadcast_pending', () => {
  test('broadcasts every frame once, in order, with the offset of the last one', async () => {
    await append('status', 1, 3);
    await flush();
    await append('status', 4, 2);
    await append('status', 6, 1);
    await flush();
    await flush();
    const batches = (await broadcasts(db.sql, 'status')).filter((batch) => batch.frames);
    expect(
      batches.map(({ channel, offset, frames }) => [
        channel,
        offset,
        frames?.map((frame) => (frame as unknown as { n: number }).n),
      ]),
    ).toEqual([
      ['status', 3, [1, 2, 3]],
      ['status', 6, [4, 5, 6]],
    ]);
    const [position] = await db.sql<{ epoch: string }[]>`select epoch from stream.channels where channel = 'status'`;
    expect(new Set(batches.map((batch) => batch.epoch))).toEqual(new Set([position?.epoch]));
  });

  test('keeps a broadcast under 200 KB; a frame that fits in none stays in the log and its offset is skipped', async () => {
    const text = (n: number, size: number) => `{"type":"x","n":${n},"pad":"${'é'.repeat(size / 2)}"}`;
    const frames = [...range(9).map((n) => text(n, 60_000)), text(10, 250_000), text(11, 10)];
    await db.sql`select stream.append_publication('status', ${frames})`;
    await flush();
    const rows = await db.sql<{ size: number; payload: Batch }[]>`
      select octet_length(payload::text) as size, payload from realtime.messages where topic = 'status' and payload ? 'frames'`;
    for (const row of rows) expect(row.size).toBeLessThan(200_000);
    const batches = (await broadcasts(db.sql, 'status')).filter((batch) => batch.frames);
    expect(covered(batches)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 11]);
    expect(await publishedFrames(db.sql, 'status')).toHaveLength(11);
  });

  test('broadcasts neither uncommitted frames nor quotes', async () => {
    await append('quotes:all', 1, 5);
    await db.sql
      .begin(async (tx) => {
        await append('status', 1, 5, tx);
        throw new Error('rolled back');
      })
      .catch(() => {});
    await flush();
    expect(covered(await broadcasts(db.sql, 'status'))).toEqual([]);
    expect(await broadcasts(db.sql, 'quotes:all')).toEqual([]);
  });

  test('ends a message before a hole in the log, so that the next offset reveals it', async () => {
    for (const n of range(4)) await append('status', n, 1);
    await db.sql`delete from stream.publications where channel = 'status' and last_offset = 3`;
    await flush();
    expect(covered(await broadcasts(db.sql, 'status'))).toEqual([1, 2, 4]);
  });

  test('waits for the call that runs, and sends only what that call could not see', async () => {
    // The first call repairs what is published, and the row that it writes then is a lock too.
    await flush();
    await append('status', 1, 2);
    const other = postgres(db.url(), { max: 1, onnotice: () => {} });
    let second: Promise<unknown> = Promise.resolve();
    try {
      await db.sql.begin(async (first) => {
        await first`select stream.broadcast_pending()`;
        await append('status', 3, 1, other);
        second = other`select stream.broadcast_pending()`.execute();
        await untilWaitingForLock(db.sql, 'stream.broadcast_pending');
      });
      await second;
    } finally {
      await other.end();
    }
    expect(covered(await broadcasts(db.sql, 'status'))).toEqual([1, 2, 3]);
  });

  test('keeps broadcasts whole and in order while many flushes and writers run at once', async () => {
    let writing = true;
    await db.sql`update stream.settings set messages_a_second = 100000`;
    const connections = range(4).map(() => postgres(db.url(), { max: 1, onnotice: () => {} }));
    try {
      const write = async (sql: postgres.Sql) => {
        for (let i = 0; i < 30; i += 1) await append('status', i, 3, sql);
      };
      const send = async (sql: postgres.Sql) => {
        while (writing) await sql`select stream.broadcast_pending()`;
      };
      const [first, second, third, fourth] = connections as [postgres.Sql, postgres.Sql, postgres.Sql, postgres.Sql];
      const sending = [send(third), send(fourth)];
      await Promise.all([write(first), write(second)]);
      writing = false;
      await Promise.all(sending);
      await flush();
    } finally {
      await Promise.all(connections.map((sql) => sql.end()));
    }
    expect(covered(await broadcasts(db.sql, 'status'))).toEqual(range(180));
  });
});

describe('a crash', () => {
  const endDuring = (work: string) =>
    endBackendDuring(db.url(), work, (pid) => db.sql`select pg_terminate_backend(${pid}, 5000)`);

  test('between log and broadcast loses no frame', async () => {
    await putPair(db.sql, { n: 1 });
    await flush();
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:59:00Z', ask_a: [400_000, 600_000], ask_b: [410_000, 590_000] });
    const top = await lastOffset(db.sql, 'markets:all');
    await endDuring('select stream.broadcast_pending()');
    const before = await broadcasts(db.sql, 'markets:all');
    expect(covered(before), 'the broadcast of the ended backend was rolled back').toEqual([1]);
    await flush();
    expect(covered(await broadcasts(db.sql, 'markets:all'))).toEqual(range(top));
  });

  test('before the commit of a change leaves no gap in the offsets', async () => {
    await append('status', 1, 2);
    await endDuring(
      `select stream.append_publication('status', array(select '{"type":"x"}' from generate_series(1, 4)))`,
    );
    await append('status', 3, 2);
    await flush();
    expect(covered(await broadcasts(db.sql, 'status'))).toEqual(range(4));
  });
});

describe('the message quota', () => {
  test('is never exceeded by much, and delayed frames are sent in larger batches', async () => {
    // Ten messages a second with four listeners allow two broadcasts a second, and at most ten at
    // once.
    await db.sql`update stream.settings set messages_a_second = 10, listeners = 4, beacon_every = '1 hour'`;
    const startedAt = Date.now();
    for (let i = 0; i < 40; i += 1) {
      await append('status', i, 2);
      await append('sample', i, 2);
      await flush();
    }
    const seconds = (Date.now() - startedAt) / 1000;
    const sent = (await db.sql`select from realtime.messages where payload ? 'frames'`).length;
    expect(sent).toBeLessThanOrEqual(10 + 2 * seconds + 1);
    await db.sql`update stream.flush_state set tokens = 1000, refilled_at = clock_timestamp()`;
    await flush();
    for (const topic of ['status', 'sample']) expect(covered(await broadcasts(db.sql, topic))).toEqual(range(80));
  });

  test('serves the channel that has waited longest', async () => {
    await db.sql`update stream.settings set messages_a_second = 0.01, listeners = 0, beacon_every = '1 hour'`;
    const addToken = () => db.sql`update stream.flush_state set tokens = 1, refilled_at = clock_timestamp()`;
    const order: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      await append('sample', 1, 1);
      await append('status', 1, 1);
      await db.sql`update stream.settings set messages_a_second = 0.2`;
      await addToken();
      await flush();
      const rows = await db.sql<{ topic: string }[]>`select topic from realtime.messages where payload ? 'frames'`;
      order.push(...rows.map((row) => row.topic));
      await db.sql`delete from realtime.messages`;
    }
    expect(order.slice(0, 3)).toEqual(['sample', 'status', 'sample']);
  });
});

describe('the position beacon', () => {
  test('reports the position of each channel every five seconds, also without new frames', async () => {
    await append('status', 1, 3);
    await flush();
    const beacons = async () =>
      (await broadcasts(db.sql, 'status')).filter((batch) => !batch.frames).map((batch) => batch.offset);
    expect(await beacons()).toEqual([3]);
    await flush();
    expect(await beacons(), 'no second beacon at once').toEqual([3]);
    await db.sql`update stream.broadcast_positions set beacon_at = beacon_at - interval '5 seconds'`;
    await flush();
    expect(await beacons()).toEqual([3, 3]);
    expect((await broadcasts(db.sql, 'quotes:all')).length).toBe(0);
    expect((await broadcasts(db.sql, 'markets:all'))[0]).toMatchObject({ offset: 0 });
  });

  test('is sent for an organization while it has new frames, and then stops', async () => {
    const [row] = await db.sql<{ org: string }[]>`select account.create_organization('one', 'free') as org`;
    const topic = `org:${row?.org}`;
    await db.sql`select stream.publish_plan_event(${row?.org ?? ''})`;
    await flush();
    await flush();
    expect((await broadcasts(db.sql, topic)).map((batch) => [batch.offset, batch.frames?.length ?? 0])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    await db.sql`update stream.broadcast_positions set beacon_at = beacon_at - interval '5 minutes', sent_at = sent_at - interval '2 minutes'`;
    await flush();
    expect(await broadcasts(db.sql, topic)).toHaveLength(2);
  });
});

describe('the repair in broadcast_pending', () => {
  test('publishes changes that a writer did not publish', async () => {
    await putPair(db.sql, { n: 1 });
    await flush();
    await changePair(db.sql, 1, { title: 'not published' });
    await flush();
    expect(await publishedFrames(db.sql, 'markets:all'), 'the repair runs every five seconds').toHaveLength(1);
    await db.sql`update stream.flush_state set repaired_at = repaired_at - interval '5 seconds'`;
    await flush();
    expect((await publishedFrames(db.sql, 'markets:all')).at(-1)).toMatchObject({ title: 'not published' });
  });

  test('a frame older than half a minute is not broadcast; the next offset reveals the gap', async () => {
    await append('status', 1, 3);
    await db.sql`update stream.settings set max_broadcast_delay = '0 seconds'`;
    await flush();
    await db.sql`update stream.settings set max_broadcast_delay = '30 seconds'`;
    await append('status', 4, 1);
    await flush();
    expect(covered(await broadcasts(db.sql, 'status'))).toEqual([4]);
  });
});

test('broadcast messages older than an hour are deleted, and only those of this schema', async () => {
  await db.sql`
    insert into realtime.messages (topic, extension, event, payload, private, inserted_at)
    select topic, 'broadcast', 'frames', '{}', true, (clock_timestamp() - minutes * interval '1 minute') at time zone 'UTC'
    from unnest(array['status', 'lobby']) as t (topic)
    cross join unnest(array[55, 65]) as m (minutes)`;
  await db.sql`select jobs.purge_expired()`;
  const remaining = await db.sql<{ topic: string }[]>`select topic from realtime.messages order by topic`;
  expect(remaining.map((row) => row.topic)).toEqual(['lobby', 'lobby', 'status']);
});

test('the role parallax_ingest may call broadcast_pending', async () => {
  const sql = postgres(db.url('parallax_ingest'), { max: 1 });
  try {
    await append('status', 1, 1);
    expect(await sql`select stream.broadcast_pending() as sent`).toEqual([{ sent: 1 }]);
    await expect(sql`select stream.publish_changes('{}')`).rejects.toMatchObject({ code: '42501' });
    await expect(sql`select * from stream.publications`).rejects.toMatchObject({ code: '42501' });
  } finally {
    await sql.end();
  }
});
