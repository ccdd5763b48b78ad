import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePair, holdShardLeases, putPair, putUpdate, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: only a pair that no longer trades, with a price older than six hours, loses its latest
 * update and its levels.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
  await holdShardLeases(db.sql);
});
afterAll(() => db?.close());

const even = { ask_a: [400_000, 610_000], ask_b: [420_000, 600_000] };

test('the purge keeps each pair that trades or was priced within six hours', async () => {
  const pairs: { n: number; at: string; change: Record<string, string> }[] = [
    { n: 1, at: '05:59:59', change: { status: 'settled' } },
    { n: 2, at: '05:59:59', change: { status: 'closed' } },
    { n: 3, at: '05:59:59', change: { withdrawn_at: '2026-11-20T06:00:00Z', withdrawn_code: 'test' } },
    { n: 4, at: '05:59:59', change: {} },
    { n: 5, at: '06:00:01', change: { status: 'settled' } },
    { n: 6, at: '06:00:01', change: { withdrawn_at: '2026-11-20T06:00:00Z', withdrawn_code: 'test' } },
    { n: 7, at: '05:59:59', change: { status: 'settled' } },
  ];
  for (const { n, at, change } of pairs) {
    await putPair(db.sql, { n });
    await putUpdate(db.sql, n, { at: `2026-11-20T${at}Z`, ...even });
    if (Object.keys(change).length > 0) await changePair(db.sql, n, change);
  }
  await db.sql`delete from catalog.pairs where pair_id = ${uuidOf(7)}`;
  const purge = async (limit: number) => {
    const [row] = await db.sql<{ purged: number }[]>`select price.purge_closed_pairs(${limit}) as purged`;
    return row?.purged;
  };
  expect([await purge(3), await purge(3), await purge(3)]).toEqual([3, 1, 0]);
  const left = await db.sql<{ pair_id: string }[]>`select pair_id from price.latest_updates order by pair_id`;
  expect(left.map(({ pair_id }) => pair_id)).toEqual([4, 5, 6].map(uuidOf));
});
