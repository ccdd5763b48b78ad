import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdShardLeases, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: no price update is priced before one of its books was read, with any input. */

let db: TestDatabase;

beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:10:00Z');
  for (const n of [1, 2]) await putPair(db.sql, { n });
});
afterAll(() => db.close());

const at = (time: string) => `2026-11-20T${time}Z`;
const updateOf = (n: number, time: string, read: { read_a?: string; read_b?: string }, ask: number) => ({
  pair: uuidOf(n),
  at: Date.parse(at(time)),
  ask_a: [ask, 610_000],
  ask_b: [410_000, 600_000],
  bid_a: [null, null],
  bid_b: [null, null],
  size_a: [null, null],
  size_b: [null, null],
  ladder_a: null,
  read_a: read.read_a ? Date.parse(at(read.read_a)) : null,
  read_b: read.read_b ? Date.parse(at(read.read_b)) : null,
  void: null,
  opp: null,
});
async function apply(updates: ReturnType<typeof updateOf>[]): Promise<void> {
  const leases = await db.sql<{ name: string; token: string }[]>`
    select name, token from venue.leases where name like 'books:%'`;
  const tokens = Object.fromEntries(leases.map(({ name, token }) => [name, Number(token)]));
  await db.sql`select pipeline.apply_books(${db.sql.json(tokens)}, ${db.sql.json(updates)})`;
}
type Times = { priced_at: Date; read_a: Date | null; read_b: Date | null };
const times = async (n: number) =>
  (
    await db.sql<Times[]>`
      select priced_at, read_a, read_b from price.updates where pair_id = ${uuidOf(n)} order by priced_at, update_no`
  ).map((row) => [row.priced_at, row.read_a, row.read_b].map((time) => time?.toISOString().slice(11, 23) ?? null));

describe('a price update', () => {
  test('keeps its own time when its books were read before it or not at all', async () => {
    await apply([
      updateOf(1, '12:00:05.000', { read_a: '12:00:04.100', read_b: '12:00:05.000' }, 400_000),
      updateOf(1, '12:00:06.000', {}, 401_000),
    ]);
    expect(await times(1)).toEqual([
      ['12:00:05.000', '12:00:04.100', '12:00:05.000'],
      ['12:00:06.000', null, null],
    ]);
  });

  test('is priced at the later read time of its books, also in the next hour', async () => {
    await apply([
      updateOf(2, '12:00:05.000', { read_a: '12:00:14.100', read_b: '12:00:02.000' }, 400_000),
      updateOf(2, '12:59:59.000', { read_b: '13:00:08.000' }, 401_000),
    ]);
    expect(await times(2)).toEqual([
      ['12:00:14.100', '12:00:14.100', '12:00:02.000'],
      ['13:00:08.000', null, '13:00:08.000'],
    ]);
    const [latest] = await db.sql<Times[]>`select priced_at from price.latest_updates where pair_id = ${uuidOf(2)}`;
    expect(latest?.priced_at.toISOString()).toBe(at('13:00:08.000'));
  });

  test('cannot be stored with a read time after its own time', async () => {
    await expect(
      db.sql`update price.updates set read_a = priced_at + interval '1 millisecond' where pair_id = ${uuidOf(1)}`,
    ).rejects.toThrow('updates_books_read_before');
  });
});
