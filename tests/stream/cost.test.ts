import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdBooks, putFrames, type SeedFrame } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { topOf } from './support.ts';
import { putPairs } from './world.ts';

// What publishing costs a flush of 50 frames, beside the same flush in a database that publishes nothing. Figures are printed and not
// limited: the machine is shared, so each is the lower decile, and both take turns.

const PAIRS = 3_000;
const FLUSHES = 150;
let loud: TestDatabase;
let silent: TestDatabase;
beforeAll(async () => {
  [loud, silent] = [await createDatabase(), await createDatabase()];
  for (const db of [loud, silent]) {
    await putPairs(db.sql, PAIRS);
    await holdBooks(db.sql);
  }
  await silent.sql.unsafe(`
    create or replace function stream.publish(p_pairs uuid[], p_frames price.frame[] default '{}') returns integer
    language sql as $$ select 0 $$`);
});
afterAll(async () => {
  await loud.close();
  await silent.close();
});

const began = Date.now();
function frames(n: number): (readonly [number, SeedFrame])[] {
  return Array.from({ length: 50 }, (_, i) => {
    const ask = 300_000 + ((n * 7 + i) % 40) * 10_000;
    const asks = [ask, 990_000 - ask];
    const sizes = [100, 100];
    const at = new Date(began + n * 100).toISOString();
    return [1 + ((n * 50 + i) % PAIRS), { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes }];
  });
}
async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
const decile = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 10)] ?? 0;

test('a flush of 50 frames, with and without publishing, and its broadcast', async () => {
  const took = { published: [] as number[], silent: [] as number[], sent: [] as number[] };
  for (let n = 0; n < FLUSHES; n += 1) {
    const given = frames(n);
    const silently = await timed(() => putFrames(silent.sql, given));
    const published = await timed(() => putFrames(loud.sql, given));
    const sent = await timed(() => loud.sql`select stream.flush()`);
    // Every pair is told once as a market first.
    if (n < PAIRS / 50 + 5) continue;
    took.silent.push(silently);
    took.published.push(published);
    took.sent.push(sent);
  }
  const figure = (all: number[]) => `${decile(all).toFixed(1)} ms`;
  console.log(
    `price.apply of 50 frames: ${figure(took.silent)} silent, ${figure(took.published)} published; stream.flush ${figure(took.sent)}`,
  );
  expect(await topOf(loud.sql, 'markets:all')).toBeGreaterThanOrEqual(FLUSHES * 45);
}, 120_000);
