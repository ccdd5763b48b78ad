import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdShardLeases, putPair, putUpdate, type SeedUpdate, stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// A new column is added to price.price_update only. The statement that replaces the newest update
// must name every column, so this test compares it with the type.

let db: TestDatabase;

beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());

async function columnsOf(type: string): Promise<string[]> {
  const rows = await db.sql<{ name: string }[]>`
    select a.attname as name from pg_attribute a
    where a.attrelid = ${type}::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum`;
  return rows.map((row) => row.name);
}

test('price.updates and price.latest_updates have the columns of price.price_update in its order', async () => {
  const columns = await columnsOf('price.price_update');
  expect(await columnsOf('price.updates')).toEqual(columns);
  expect(await columnsOf('price.latest_updates')).toEqual(columns);
});

test('the filter columns of the snapshot and of its past rows are those of price.filter_columns', async () => {
  const columns = await columnsOf('price.filter_columns');
  const present = await columnsOf('price.snapshot');
  expect(columns.filter((column) => !present.includes(column))).toEqual([]);
  expect(await columnsOf('price.past_rows')).toEqual(['until_change_no', 'pair_id', ...columns]);
});

test('a second price update replaces every column of the first in price.latest_updates', async () => {
  await putPair(db.sql, { n: 1, ladder: ['1+'] });
  const first: SeedUpdate = {
    at: '2026-11-20T11:57:00Z',
    ask_a: [400000, 610000],
    ask_b: [410000, 600000],
    bid_a: [390000, 600000],
    bid_b: [400000, 590000],
    size_a: [1, 2],
    size_b: [3, 4],
    bid_size_a: [5, 6],
    bid_size_b: [7, 8],
    ladder_a: [500000],
  };
  const next: SeedUpdate = { at: '2026-11-20T11:58:00Z', void: 'book.crossed' };
  for (const [name, value] of Object.entries(first)) {
    if (Array.isArray(value)) Object.assign(next, { [name]: value.map((n) => (n ?? 0) + 1) });
  }
  await putUpdate(db.sql, 1, first);
  const [before] = await db.sql`select l.* from price.latest_updates l`;
  await putUpdate(db.sql, 1, next);
  const [after] = await db.sql`select l.* from price.latest_updates l`;
  const [written] = await db.sql`select f.* from price.updates f order by f.update_no desc limit 1`;
  expect(after).toEqual(written);
  const columns = await columnsOf('price.price_update');
  expect(columns.filter((column) => String(before?.[column]) === String(after?.[column]))).toEqual(['pair_id']);
});
