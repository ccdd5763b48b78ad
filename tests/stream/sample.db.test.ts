import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, putPair, putUpdate, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { putPairs } from './fixture.ts';
import { lastOffset, publishedFrames, resetTestState } from './published_frames.ts';

// Frames that no single writer publishes: the state of the feeds and the curated sample.

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

describe('feed frames', () => {
  test('are published when a feed changes: up, stale and down', async () => {
    const feed = (message: string, alive: string) => db.sql`
      insert into venue.feeds (venue, source, last_message_at, last_alive_at)
      values ('venue_a', 'live', clock.now() - ${message}::interval, clock.now() - ${alive}::interval)
      on conflict (venue) do update set last_message_at = excluded.last_message_at, last_alive_at = excluded.last_alive_at`;
    await db.sql`delete from clock.segments`;
    await feed('1 second', '1 second');
    await flush();
    await flush();
    await feed('70 seconds', '1 second');
    await flush();
    await feed('80 seconds', '40 seconds');
    await flush();
    const frames = await publishedFrames(db.sql, 'status');
    expect(frames.map((frame) => frame.type === 'feed' && [frame.venue, frame.state])).toEqual([
      ['venue_a', 'up'],
      ['venue_a', 'stale'],
      ['venue_a', 'down'],
    ]);
    expect(frames[0]).toMatchObject({ last_message_at: expect.stringMatching(/Z$/) });
  });
});

describe('the sample channel', () => {
  const hourAgain = () =>
    db.sql`update stream.flush_state set sample_hour = sample_hour - interval '1 hour', repaired_at = '-infinity'`;
  const price = (n: number, at: string, ask: number, size = 100) =>
    putUpdate(db.sql, n, {
      at: `2026-11-20T${at}Z`,
      ask_a: [ask, 600_000],
      ask_b: [410_000, 590_000],
      size_a: [size, size],
      size_b: [size, size],
    });
  const inSample = () => db.sql`select pair_id from stream.sample_markets order by pair_id`;

  test('has at most twenty markets of every sport, live and deep ones first, the same for an hour', async () => {
    await putPairs(db.sql, 60);
    for (let n = 1; n <= 60; n += 1) await price(n, '11:58:00', 400_000, n * 10);
    await db.sql`update catalog.pairs set status = 'live' where pair_id = ${uuidOf(4)}`;
    await flush();
    const chosen = await db.sql<{ sport: string; count: number; live: boolean; candidates: boolean }[]>`
      select p.sport, count(*)::integer as count, bool_or(p.status = 'live') as live, bool_or(p.stage = 'candidate') as candidates
      from stream.sample_markets s join catalog.pairs p using (pair_id) group by p.sport order by p.sport`;
    expect(chosen.map((row) => [row.sport, row.count, row.candidates])).toEqual([
      ['baseball', 5, false],
      ['basketball', 5, false],
      ['hockey', 5, false],
      ['soccer', 5, false],
    ]);
    expect(chosen.some((row) => row.live)).toBe(true);
    const before = await inSample();
    await price(60, '11:58:01', 410_000, 100_000);
    await db.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await flush();
    expect(await inSample()).toEqual(before);
  });

  test('publishes at most one price a second for each market, and always the last one', async () => {
    await putPair(db.sql, { n: 1 });
    await price(1, '11:58:00', 400_000);
    await flush();
    const first = await lastOffset(db.sql, 'sample');
    for (let i = 1; i <= 20; i += 1) {
      await price(1, `11:58:0${Math.floor(i / 10)}.${(i % 10) * 100}`, 400_000 + i * 1000);
      await flush();
    }
    const prices = async () =>
      (await publishedFrames(db.sql, 'sample', first)).filter((frame) => frame.type === 'price');
    const [elapsed] = await db.sql<{ seconds: number }[]>`
      select extract(epoch from clock_timestamp() - (select min(at) from stream.publications where channel = 'sample'))::float8 as seconds`;
    expect((await prices()).length).toBeLessThanOrEqual(Math.ceil(elapsed?.seconds ?? 0));
    await db.sql`update stream.sample_markets set published_at = published_at - interval '1 second'`;
    await flush();
    expect((await prices()).at(-1)).toMatchObject({ outcomes: [{ venue_a: 0.42 }, {}] });
    const count = (await prices()).length;
    await db.sql`update stream.sample_markets set published_at = published_at - interval '1 second'`;
    await flush();
    expect(await prices(), 'published only once').toHaveLength(count);
  });

  test('publishes the markets that leave and enter the sample when the hour changes', async () => {
    await db.sql`update stream.settings set sample_markets = 1`;
    try {
      await putPair(db.sql, { n: 1 });
      await putPair(db.sql, { n: 2 });
      await price(1, '11:58:00', 400_000, 500);
      await price(2, '11:58:00', 400_000, 100);
      await flush();
      await price(2, '11:58:01', 400_000, 900);
      await hourAgain();
      await flush();
      expect(
        (await publishedFrames(db.sql, 'sample')).map((frame) =>
          'id' in frame ? `${frame.type} ${frame.id.slice(-1)}` : frame.type,
        ),
      ).toEqual(['market 1', 'price 1', 'market_removed 1', 'market 2', 'price 2']);
      await changePair(db.sql, 2, { title: 'in the sample too' });
      await db.sql`select stream.publish_changes(stream.unpublished_pairs())`;
      expect((await publishedFrames(db.sql, 'sample')).at(-1)).toMatchObject({
        type: 'market',
        title: 'in the sample too',
      });
    } finally {
      await db.sql`update stream.settings set sample_markets = 20`;
    }
  });
});
