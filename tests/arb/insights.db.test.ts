import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Insights } from '../../dashboard/src/insights/insights.ts';
import { organization, type Person, rpc } from '../account/support/people.ts';
import { holdShardLeases, putPair, stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { flush, good } from './fixture.ts';

let db: TestDatabase;
let owner: Person;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
  ({ owner } = await organization(db.sql));
});
afterAll(() => db.close());

const read = () => rpc<Insights>(db.sql, owner, 'read_insights()');
const at = (time: string) => `2026-11-20T${time}Z`;
async function opportunity(n: number, from: string, to: string): Promise<void> {
  await putPair(db.sql, { n, confirmed: true });
  await flush(db.sql, n, [{ at: at(from), opp: good(n) }]);
  await flush(db.sql, n, [{ at: at(to), opp: null, ask: 470_000 }]);
}

test('an empty history has no life time and no hour', async () => {
  const { opportunities, hours } = await read();
  expect(opportunities).toMatchObject({ closed: 0, median_s: null, p90_s: null });
  expect(opportunities.lives.map((one) => [one.up_to_s, one.closed])).toEqual(
    [1, 5, 15, 60, 300, 1800, null].map((up_to) => [up_to, 0]),
  );
  expect(hours).toEqual([]);
});

test('closed opportunities are counted once by life time and by the hour in which they opened', async () => {
  await opportunity(1, '10:59:59.500', '11:00:00.500');
  await opportunity(2, '11:30:00.000', '11:30:03.000');
  await opportunity(3, '11:31:00.000', '11:31:05.001');
  await db.sql`select arb.write_history(${at('11:50:00')})`;
  const { as_of, since, opportunities, hours } = await read();
  expect(Date.parse(as_of ?? '') - Date.parse(since ?? '')).toBe(7 * 86_400_000);
  expect(opportunities).toMatchObject({ closed: 3, median_s: 3 });
  expect(opportunities.lives.map((one) => one.closed)).toEqual([1, 1, 1, 0, 0, 0, 0]);
  expect(hours.map(({ hour, opened }) => [hour, opened])).toEqual([
    [10, 1],
    [11, 2],
  ]);
});

test('an opportunity that closed more than seven days before the snapshot is not counted', async () => {
  await db.sql`update arb.history set closed_at = closed_at - interval '8 days'`;
  expect((await read()).opportunities.closed).toBe(0);
});
