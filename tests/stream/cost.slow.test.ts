import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdShardLeases, putLegFee, putUpdates, type SeedUpdate } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { putPairs } from './fixture.ts';
import { lastOffset } from './published_frames.ts';
import { toQuoteJson } from './quote_fixtures.ts';

// Measures what publishing costs a flush of 50 price updates, without and with a quote for each,
// against the same flush in a database that publishes nothing. The figures are printed and not
// checked, because the machine is shared. Each is the lower decile, and the databases alternate.

const PAIRS = 3_000;
const FLUSHES = 150;
let publishing: TestDatabase;
let baseline: TestDatabase;
let quoting: TestDatabase;
beforeAll(async () => {
  [publishing, baseline, quoting] = [await createDatabase(), await createDatabase(), await createDatabase()];
  for (const db of [publishing, baseline, quoting]) {
    await putPairs(db.sql, PAIRS);
    await holdShardLeases(db.sql);
  }
  // One market of each venue for all contracts, so that best quotes have fees.
  await putLegFee(publishing.sql, 1, 0, 'venue_a', { model: 'quadratic', multiplier: '1', maker: false });
  await putLegFee(publishing.sql, 1, 0, 'venue_b', { model: 'rate', rate: '0.05' });
  await publishing.sql`
    update catalog.outcomes set market_a = 'market of venue_a 1 0', market_b = 'market of venue_b 1 0'`;
  await baseline.sql.unsafe(`
    create or replace function stream.publish_changes(
      p_pairs uuid[], p_updates price.price_update[] default '{}', p_quotes jsonb default '[]', p_readers jsonb default '{}'
    ) returns integer
    language sql as $$ select 0 $$`);
});
afterAll(async () => {
  await publishing.close();
  await baseline.close();
  await quoting.close();
});

const startedAt = Date.now();
function updatesOf(n: number): (readonly [number, SeedUpdate])[] {
  return Array.from({ length: 50 }, (_, i) => {
    const ask = 300_000 + ((n * 7 + i) % 40) * 10_000;
    const asks = [ask, 990_000 - ask];
    const sizes = [100, 100];
    const at = new Date(startedAt + n * 100).toISOString();
    return [1 + ((n * 50 + i) % PAIRS), { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes }];
  });
}
/** A quote of the first contract of each pair that has a frame. */
function quotesOf(n: number) {
  return updatesOf(n).map(([pair, { ask_a, at }], i) => {
    const ask = ask_a?.[0] ?? null;
    return toQuoteJson({
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
async function timedMs(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
const decile = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 10)] ?? 0;

test('prints the cost of a flush of 50 price updates without publishing, with it, and with quotes', async () => {
  const tookMs = {
    published: [] as number[],
    baseline: [] as number[],
    quoting: [] as number[],
    sent: [] as number[],
    best: [] as number[],
  };
  for (let n = 0; n < FLUSHES; n += 1) {
    const updates = updatesOf(n);
    const silently = await timedMs(() => putUpdates(baseline.sql, updates));
    const published = await timedMs(() => putUpdates(publishing.sql, updates));
    const withQuotes = await timedMs(() => putUpdates(quoting.sql, updates, quotesOf(n)));
    const sent = await timedMs(() => publishing.sql`select stream.broadcast_pending()`);
    await publishing.sql`update stream.best_state set compared_at = '-infinity'`;
    const best = await timedMs(() => publishing.sql`select stream.publish_best()`);
    // The first flushes publish each pair as a market first, so they are not measured.
    if (n < PAIRS / 50 + 5) continue;
    tookMs.baseline.push(silently);
    tookMs.published.push(published);
    tookMs.quoting.push(withQuotes);
    tookMs.sent.push(sent);
    tookMs.best.push(best);
  }
  const figure = (all: number[]) => `${decile(all).toFixed(1)} ms`;
  const [bytes] = await quoting.sql<{ each: number; json: number }[]>`
    select sum(pg_column_size(p.*))::float8 / sum(cardinality(p.frames)) as each,
           sum(octet_length(array_to_string(p.frames, '')))::float8 / sum(cardinality(p.frames)) as json
    from stream.publications p
    where p.channel = 'quotes:all'`;
  console.log(
    `pipeline.apply_books of 50 updates: ${figure(tookMs.baseline)} without publishing, ${figure(tookMs.published)} published, ${figure(tookMs.quoting)} with 50 quotes; ` +
      `stream.broadcast_pending ${figure(tookMs.sent)}; stream.publish_best of 50 markets among ${PAIRS} ${figure(tookMs.best)}; a quote is ${bytes?.json.toFixed(0)} bytes, ${bytes?.each.toFixed(0)} in the log`,
  );
  expect(await lastOffset(quoting.sql, 'quotes:all')).toBe(FLUSHES * 50);
  expect(await lastOffset(publishing.sql, 'best:all')).toBeGreaterThan(PAIRS);
  expect(await lastOffset(publishing.sql, 'markets:all')).toBeGreaterThanOrEqual(FLUSHES * 45);
});
