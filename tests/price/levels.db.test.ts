import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdShardLeases, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let tokens: Record<string, number>;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:10:00Z');
  for (const n of [1, 2, 3, 4]) await putPair(db.sql, { n });
  const leases = await db.sql<{ name: string; token: string }[]>`
    select name, token from venue.leases where name like 'books:%'`;
  tokens = Object.fromEntries(leases.map(({ name, token }) => [name, Number(token)]));
});
afterAll(() => db.close());

const second = (n: number) => Date.parse('2026-11-20T12:00:00Z') + n * 1_000;
const levels = (ask: number) => ({
  asks: [
    [ask, 100],
    [ask + 10_000, 250],
  ],
  bids: [[ask - 20_000, 50]],
});
const sample = (n: number, at: number, ask = 300_000) => ({
  pair: uuidOf(n),
  step: second(at),
  read_a: second(at) - 100,
  read_b: second(at) - 200,
  books: [
    { a: levels(ask), b: levels(ask) },
    { a: null, b: null },
  ],
});
async function store(samples: object[], held: Record<string, number> = tokens): Promise<number> {
  const [row] = await db.sql<{ stored: number }[]>`
    select price.store_levels(${db.sql.json(held)}, ${db.sql.json(samples as never)}) as stored`;
  return row?.stored ?? Number.NaN;
}
async function serveStep(at: number): Promise<void> {
  await db.sql`update price.snapshot_state set step = ${new Date(second(at))}`;
}
/** The sample that fits an update with these asks of the first outcome. */
async function levelsOf(n: number, askA: number, askB: number) {
  const [row] = await db.sql<{ a: unknown; b: unknown; read_a: Date | null }[]>`
    select l.a, l.b, l.read_a
    from price.levels_of(${uuidOf(n)}, jsonb_populate_record(null::price.price_update, ${db.sql.json({
      ask_a: [askA, null],
      ask_b: [askB, null],
      size_a: [100, null],
      size_b: [100, null],
      bid_a: [askA - 20_000, null],
      bid_b: [askB - 20_000, null],
      bid_size_a: [50, null],
      bid_size_b: [50, null],
    })})) l`;
  return row;
}
const stepsOf = async (n: number) => {
  const rows = await db.sql<{ step: Date }[]>`
    select step from price.book_levels where pair_id = ${uuidOf(n)} order by step`;
  return rows.map(({ step }) => (step.getTime() - second(0)) / 1_000);
};

describe('samples of levels', () => {
  test('are stored only under the current token of the shard', async () => {
    const former = Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, token - 1]));
    expect(await store([sample(1, 0)], former)).toBe(0);
    expect(await store([sample(1, 0)], {})).toBe(0);
    expect(await store([sample(1, 0), { ...sample(1, 0), pair: uuidOf(99) }])).toBe(1);
  });

  test('are served when their step is served, with the times of their reading', async () => {
    await store([sample(2, 10), sample(2, 15, 400_000)]);
    await serveStep(5);
    expect(await levelsOf(2, 300_000, 300_000)).toEqual({ a: null, b: null, read_a: null });
    await serveStep(10);
    expect(await levelsOf(2, 300_000, 300_000)).toEqual({
      a: [levels(300_000), null],
      b: [levels(300_000), null],
      read_a: new Date(second(10) - 100),
    });
    await serveStep(20);
    expect(await levelsOf(2, 300_000, 300_000)).toMatchObject({ a: null, b: null });
    expect(await levelsOf(2, 400_000, 400_000)).toMatchObject({ a: [levels(400_000), null] });
  });

  test('are left out for a venue of which another price or size is served', async () => {
    await store([sample(3, 0)]);
    await serveStep(20);
    expect(await levelsOf(3, 300_000, 310_000)).toMatchObject({ a: [levels(300_000), null], b: null });
  });

  test('are deleted once a newer one is served', async () => {
    await serveStep(20);
    for (const at of [0, 5, 25]) await store([sample(4, at)]);
    expect(await stepsOf(4)).toEqual([5, 25]);
    await serveStep(40);
    await store([sample(4, 45)]);
    expect(await stepsOf(4)).toEqual([25, 45]);
  });

  test('are written again by an equal step, as after a lost answer', async () => {
    await store([sample(1, 60)]);
    await store([sample(1, 60, 500_000)]);
    await serveStep(60);
    expect(await levelsOf(1, 500_000, 500_000)).toMatchObject({ a: [levels(500_000), null] });
  });
});
