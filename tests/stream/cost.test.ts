import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdBooks, putFrames, type SeedFrame } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { putPairs } from './world.ts';

// What publishing costs a flush. Figures are printed and not limited: the machine is shared.

const PAIRS = 3_000;
const FLUSHES = 120;
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await putPairs(db.sql, PAIRS);
  await holdBooks(db.sql);
});
afterAll(() => db.close());

let moment = Date.now();
const flush = (n: number) => {
  moment += 100;
  const frames = Array.from({ length: 50 }, (_, i): readonly [number, SeedFrame] => {
    const ask = 300_000 + ((n * 7 + i) % 40) * 10_000;
    const asks = [ask, 990_000 - ask];
    return [
      1 + ((n * 50 + i) % PAIRS),
      {
        at: new Date(moment).toISOString(),
        ask_a: asks,
        ask_b: [...asks].reverse(),
        size_a: [100, 100],
        size_b: [100, 100],
      },
    ];
  });
  return putFrames(db.sql, frames);
};
const median = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

async function timed(work: (n: number) => Promise<unknown>, from: number): Promise<number> {
  const took: number[] = [];
  for (let n = from; n < from + FLUSHES; n += 1) {
    const began = performance.now();
    await work(n);
    took.push(performance.now() - began);
  }
  return median(took);
}

test('a flush of 50 frames, with and without publishing, and its broadcast', async () => {
  await db.sql`select stream.flush()`;
  await timed(flush, 0);
  const published = await timed(flush, FLUSHES);
  const sent = await timed(async (n) => {
    await flush(n);
  }, 2 * FLUSHES);
  const flushed: number[] = [];
  for (let n = 3 * FLUSHES; n < 4 * FLUSHES; n += 1) {
    await flush(n);
    const began = performance.now();
    await db.sql`select stream.flush()`;
    flushed.push(performance.now() - began);
  }
  const [top] = await db.sql<{ top: string }[]>`select top from stream.channels where channel = 'markets:all'`;
  await db.sql.unsafe(`
    create or replace function stream.publish(p_pairs uuid[], p_frames price.frames[] default '{}') returns integer
    language sql as $$ select 0 $$`);
  const silent = await timed(flush, 4 * FLUSHES);
  console.log(
    `price.apply of 50 frames, median of ${FLUSHES}: ${silent.toFixed(1)} ms silent, ${published.toFixed(1)} and ${sent.toFixed(1)} ms published; ` +
      `stream.flush ${median(flushed).toFixed(1)} ms`,
  );
  expect(Number(top?.top)).toBeGreaterThanOrEqual(4 * FLUSHES * 45);
});
