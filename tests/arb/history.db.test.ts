import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdShardLeases, putPair, stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { flush, good } from './fixture.ts';

/**
 * Guarantee: the history has each valid opportunity that closed up to the step once, with its last
 * end, and none that was retracted.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, price.updates, price.latest_updates, arb.opportunities, arb.opportunity_states, arb.history, arb.history_groups`;
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
  await putPair(db.sql, { n: 1, confirmed: true });
});

const at = (time: string) => `2026-11-20T${time}.000Z`;
const write = async (step: string) => (await db.sql<{ n: number }[]>`select arb.write_history(${at(step)}) as n`)[0]?.n;
type Fields = { closed_at: string; close_reason: string; states: number; samples: object[]; peak: object };
const history = async () => {
  const rows = await db.sql<{ body: Fields }[]>`
    select ('{' || h.fields || '}')::jsonb as body from arb.history h order by h.closed_at`;
  return rows.map((row) => row.body);
};
const open = () => flush(db.sql, 1, [{ at: at('11:50:00'), opp: good(1) }]);
const close = (time: string) => flush(db.sql, 1, [{ at: at(time), opp: null, ask: 470_000 }]);
/** A guard finds a book that was invalid since `since`. */
const invalidate = (time: string, since: string) =>
  flush(db.sql, 1, [
    { at: at(time), opp: { refused: 'feed.silent', about: 'KX-1-home', since: Date.parse(at(since)) }, ask: 1 },
  ]);

test('an opportunity enters with the first step after its close, once', async () => {
  await open();
  expect(await write('11:50:00')).toBe(0);
  await close('11:51:00');
  expect(await write('11:50:55')).toBe(0);
  expect(await history()).toEqual([]);
  expect(await write('11:51:00')).toBe(1);
  expect(await write('11:51:05')).toBe(0);
  expect(await history()).toMatchObject([{ closed_at: at('11:51:00'), close_reason: 'edge.gone', states: 1 }]);
});

test('one that a guard ends earlier afterwards has the earlier end and no later state', async () => {
  await open();
  await flush(db.sql, 1, [{ at: at('11:50:40'), opp: good(1, 20_000), ask: 451_000 }]);
  await close('11:51:00');
  await write('11:51:00');
  expect(await history()).toMatchObject([{ states: 2, peak: { contracts: 200 } }]);
  await invalidate('11:52:00', '11:50:30');
  expect(await write('11:51:05')).toBe(1);
  expect(await history()).toMatchObject([
    { closed_at: at('11:50:30'), close_reason: 'feed.silent', states: 1, peak: { contracts: 120 } },
  ]);
});

test('one that is retracted afterwards leaves', async () => {
  await open();
  await close('11:51:00');
  await write('11:51:00');
  await invalidate('11:52:00', '11:49:00');
  expect(await write('11:51:05')).toBe(1);
  expect(await history()).toEqual([]);
});

test('a long one has 20 samples with the first, the peak and the last', async () => {
  const sizes = Array.from({ length: 300 }, (_, i) => (i === 151 ? 90_000 : 10_000 + i));
  await flush(
    db.sql,
    1,
    sizes.map((size, i) => ({ at: new Date(Date.parse(at('11:40:00')) + i * 1000).toISOString(), opp: good(1, size) })),
  );
  await close('11:51:00');
  await write('11:51:00');
  const [row] = await history();
  const samples = row?.samples as { at: string; contracts: number }[];
  expect([row?.states, samples.length <= 20, samples.length >= 18]).toEqual([300, true, true]);
  expect([samples[0]?.contracts, samples.at(-1)?.contracts]).toEqual([100, 102.99]);
  expect(samples.map((one) => one.contracts)).toContain(900);
  expect(samples.map((one) => one.at)).toEqual(samples.map((one) => one.at).sort());
});

test('a step takes a bounded number, the oldest first, and the next step takes the rest', async () => {
  for (const minute of ['50', '51', '52']) {
    await flush(db.sql, 1, [
      { at: at(`11:${minute}:00`), opp: good(1) },
      { at: at(`11:${minute}:30`), opp: null, ask: 470_000 },
    ]);
  }
  const some = () => db.sql`select arb.write_history(${at('11:58:00')}, 2)`;
  await some();
  expect((await history()).map((row) => row.closed_at)).toEqual([at('11:50:30'), at('11:51:30')]);
  await some();
  expect(await history()).toHaveLength(3);
});

test('the retention deletes the history with the opportunities', async () => {
  await open();
  await close('11:51:00');
  await write('11:51:00');
  await stopClock(db.sql, '2027-01-20T12:00:00Z');
  await db.sql`select arb.purge_expired()`;
  expect(await history()).toEqual([]);
});
