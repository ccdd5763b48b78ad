import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdShardLeases, putUpdates, type SeedUpdate, uuidOf } from '../api/support/catalog.ts';
import { good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { ReplayedState } from '../support/replayed_state.ts';
import { runs } from '../support/runs.ts';
import { sortedJson } from '../support/sorted_json.ts';
import { putPairs } from './fixture.ts';
import { broadcasts, lastOffset, publishedFrames } from './published_frames.ts';
import { expectedState } from './truth.ts';

// Runs all publishers at once and in any order. They must not deadlock, and the published frames
// must replay to the state of the database.

const PAIRS = 40;
const FLUSHES = runs(15);
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await putPairs(db.sql, PAIRS);
  await db.sql`update price.settings set shards = 8`;
  await db.sql`update stream.settings set messages_a_second = 100000`;
  await holdShardLeases(db.sql);
});
afterAll(() => db.close());

const updatesOf = (writer: number, seed: number, moment: number): (readonly [number, SeedUpdate])[] =>
  fc
    .sample(fc.tuple(fc.integer({ min: 1, max: PAIRS / 8 }), fc.integer({ min: 300, max: 700 }), fc.boolean()), {
      seed,
      numRuns: 6,
    })
    .map(([place, price, edge], i) => {
      const n = place * 8 - writer;
      return [
        n,
        {
          at: new Date(moment + i).toISOString(),
          ask_a: [price * 1000, 500_000],
          ask_b: [480_000, price * 1000],
          opp: edge ? good(n, price) : null,
        },
      ];
    });

test('eight writers, two broadcasters and the match pass end in the state that the frames replay to', async () => {
  const startedAt = Date.now() - 10_000;
  const connections = Array.from({ length: 11 }, () => postgres(db.url(), { max: 1, onnotice: () => {} }));
  let writing = true;
  let rolledBack = 0;
  const flusher = async (sql: postgres.Sql, id: number) => {
    for (let n = 0; n < FLUSHES; n += 1) {
      const updates = updatesOf(id, id * 1000 + n, startedAt + n * 100);
      const rollsBack = (id + n) % 5 === 0;
      await sql
        .begin(async (tx) => {
          await putUpdates(tx as unknown as postgres.Sql, updates);
          if (rollsBack) throw new Error('rolled back');
        })
        .catch((error: Error) => {
          if (error.message !== 'rolled back') throw error;
          rolledBack += 1;
        });
    }
  };
  const whileWriting = async (work: () => Promise<unknown>) => {
    while (writing) await work();
  };
  const publishers = [
    (sql: postgres.Sql) => sql`select stream.broadcast_pending()`,
    (sql: postgres.Sql) => sql`select pipeline.refresh_snapshot()`,
    // Like the match pass and the status updates: change rows first, then publish all differences,
    // in any order of pairs.
    (sql: postgres.Sql) =>
      sql.begin(async (tx) => {
        await tx`
          update catalog.pairs p
          set title = 'Title ' || gen_random_uuid(), change_no = nextval('catalog.change_numbers'),
              status = case when random() < 0.3 then 'live' else 'open' end
          where p.pair_id = ${uuidOf(1 + Math.floor(Math.random() * PAIRS))}`;
        await tx`select stream.publish_changes(stream.unpublished_pairs())`;
      }),
  ];
  try {
    const others = publishers.map((publish, i) => whileWriting(() => publish(connections[8 + i] as postgres.Sql)));
    await Promise.all(connections.slice(0, 8).map(flusher));
    writing = false;
    await Promise.all(others);
  } finally {
    await Promise.all(connections.map((sql) => sql.end()));
  }
  expect(rolledBack).toBeGreaterThan(FLUSHES);
  await db.sql`update stream.flush_state set repaired_at = '-infinity'`;
  await db.sql`select stream.broadcast_pending()`;
  await db.sql`select stream.broadcast_pending()`;
  const candidates = await db.sql<
    { channel: string }[]
  >`select channel from stream.channels where channel like 'candidates:%'`;
  for (const channel of ['markets:all', ...candidates.map((row) => row.channel)]) {
    const all = await publishedFrames(db.sql, channel);
    expect(all.length).toBe(await lastOffset(db.sql, channel));
    const replayed = new ReplayedState();
    replayed.apply(all);
    expect(replayed.state()).toEqual(await expectedState(db.sql, channel));
    const sent = (await broadcasts(db.sql, channel)).flatMap((batch) => batch.frames ?? []);
    expect(sent.length, `${channel} was broadcast once`).toBe(all.length);
    expect(sent.map(sortedJson)).toEqual(all.map(sortedJson));
  }
});
