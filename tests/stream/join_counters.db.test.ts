import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// The counters of Realtime joins, of which each ticket takes one for each of its channels.

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

/** Rows of the table that were read so far, by any plan. */
async function rowsRead(): Promise<number> {
  await db.sql`select pg_stat_force_next_flush()`;
  const [row] = await db.sql<{ count: string }[]>`
    select seq_tup_read + coalesce((
      select sum(idx_tup_read) from pg_stat_user_indexes where relid = 'stream.join_counters'::regclass
    ), 0) as count
    from pg_stat_user_tables
    where relid = 'stream.join_counters'::regclass`;
  return Number(row?.count);
}

test('a ticket does not read the counters of the others, however many there are', async () => {
  await db.sql`
    insert into stream.join_counters (free_at)
    select clock_timestamp() + interval '5 minutes' from generate_series(1, 20000)`;
  const before = await rowsRead();
  for (let n = 0; n < 20; n += 1) await db.sql`select stream.allocate_join_counters(3)`;
  expect((await rowsRead()) - before).toBeLessThan(2_000);
});

test('a counter whose token has ended is assigned again, from zero', async () => {
  const [first] = await db.sql<{ counters: number[] }[]>`select stream.allocate_join_counters(2) as counters`;
  for (const counter of first?.counters ?? []) await db.sql`select nextval(${`stream.join_count_${counter}`})`;
  await db.sql`
    update stream.join_counters set free_at = clock_timestamp() - interval '1 second'
    where counter_no = any (${first?.counters ?? []})`;
  const [second] = await db.sql<{ counters: number[] }[]>`select stream.allocate_join_counters(2) as counters`;
  expect(second?.counters.toSorted()).toEqual(first?.counters.toSorted());
  const [next] = await db.sql<{ value: string }[]>`
    select nextval(${`stream.join_count_${first?.counters[0]}`}) as value`;
  expect(next?.value).toBe('1');
});
