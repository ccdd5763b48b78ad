import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdBooks, putFrames, type SeedFrame } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { putPairs } from './fixture.ts';
import { topOf } from './published_frames.ts';
import { asGiven } from './quote_fixtures.ts';

// What publishing costs a flush of 50 frames, without and with a quote for each, beside the same flush in a database that publishes nothing. Figures are printed and not
// limited: the machine is shared, so each is the lower decile, and all take turns.

const PAIRS = 3_000;
const FLUSHES = 150;
let loud: TestDatabase;
let silent: TestDatabase;
let quoted: TestDatabase;
beforeAll(async () => {
  [loud, silent, quoted] = [await createDatabase(), await createDatabase(), await createDatabase()];
  for (const db of [loud, silent, quoted]) {
    await putPairs(db.sql, PAIRS);
    await holdBooks(db.sql);
  }
  await silent.sql.unsafe(`
    create or replace function stream.publish_changes(
      p_pairs uuid[], p_frames price.price_update[] default '{}', p_quotes jsonb default '[]', p_readers jsonb default '{}'
    ) returns integer
    language sql as $$ select 0 $$`);
});
afterAll(async () => {
  await loud.close();
  await silent.close();
  await quoted.close();
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
/** A quote of the first contract of each pair that has a frame. */
function quotes(n: number) {
  return frames(n).map(([pair, { ask_a, at }], i) => {
    const ask = ask_a?.[0] ?? null;
    return asGiven({
      n: pair,
      no: n * 50 + i,
      bid: 10_000 + ((n * 3 + i) % 29) * 10_000,
      ask,
      bid_size: 12_300 + i,
      ask_size: 45_600,
      venue_time: Date.parse(at) - 170,
      read_at: Date.parse(at),
    });
  });
}
async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
const decile = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 10)] ?? 0;

test('a flush of 50 price updates, with and without publishing, with quotes, and its broadcast stay within their cost', async () => {
  const took = { published: [] as number[], silent: [] as number[], quoted: [] as number[], sent: [] as number[] };
  for (let n = 0; n < FLUSHES; n += 1) {
    const given = frames(n);
    const silently = await timed(() => putFrames(silent.sql, given));
    const published = await timed(() => putFrames(loud.sql, given));
    const withQuotes = await timed(() => putFrames(quoted.sql, given, quotes(n)));
    const sent = await timed(() => loud.sql`select stream.broadcast_pending()`);
    // Every pair is told once as a market first.
    if (n < PAIRS / 50 + 5) continue;
    took.silent.push(silently);
    took.published.push(published);
    took.quoted.push(withQuotes);
    took.sent.push(sent);
  }
  const figure = (all: number[]) => `${decile(all).toFixed(1)} ms`;
  const [bytes] = await quoted.sql<{ each: number; json: number }[]>`
    select sum(pg_column_size(p.*))::float8 / sum(cardinality(p.frames)) as each,
           sum(octet_length(array_to_string(p.frames, '')))::float8 / sum(cardinality(p.frames)) as json
    from stream.publications p
    where p.channel = 'quotes:all'`;
  console.log(
    `pipeline.apply_books of 50 frames: ${figure(took.silent)} silent, ${figure(took.published)} published, ${figure(took.quoted)} with 50 quotes; ` +
      `stream.broadcast_pending ${figure(took.sent)}; a quote is ${bytes?.json.toFixed(0)} bytes, ${bytes?.each.toFixed(0)} in the log`,
  );
  expect(await topOf(quoted.sql, 'quotes:all')).toBe(FLUSHES * 50);
  expect(await topOf(loud.sql, 'markets:all')).toBeGreaterThanOrEqual(FLUSHES * 45);
}, 120_000);
