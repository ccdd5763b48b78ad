import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { as, mint, organization, type Person, rpc } from './support/people.ts';

// Requests by day and key: account.admit counts them in account.usage, account.key_days keeps them.
const DASHBOARD = '00000000-0000-0000-0000-000000000000';

let db: TestDatabase;
let owner: Person;
let org: string;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  ({ owner, org } = await organization(db.sql));
  await db.sql`select account.set_plan(${org}, 'pro', 'active', 'test')`;
});

type Key = { id: string; hash: string };
async function newKey(): Promise<Key> {
  const { key_id: id, key } = await mint(db.sql, owner, org);
  return { id, hash: hashKey(key) };
}
const admit = (key: Key, requests = 1) =>
  db.sql`select account.admit(decode(${key.hash}, 'hex'), true, ${requests}, 0)`;
const today = async () =>
  (await db.sql<{ day: string }[]>`select (now() at time zone 'UTC')::date::text as day`)[0]?.day;
/** The requests of the view by key, as the person sees them, without those of the dashboard. */
async function daysOf(who = owner): Promise<Record<string, [day: string, requests: number][]>> {
  const rows = (await as(db.sql, who, `select * from api.my_key_days order by day`)) as {
    key_id: string;
    day: string;
    requests: string;
  }[];
  const found: Record<string, [string, number][]> = {};
  for (const { key_id, day, requests } of rows) {
    if (key_id !== DASHBOARD) found[key_id] = [...(found[key_id] ?? []), [day, Number(requests)]];
  }
  return found;
}
const setDay = (days: number) =>
  db.sql`update account.usage set day = (now() at time zone 'UTC')::date - ${days}::integer where org_id = ${org}`;

test('each key has its own count, which only members see', async () => {
  const [one, other] = [await newKey(), await newKey()];
  await admit(one);
  await admit(other, 3);
  await admit(one);
  const day = await today();
  expect(await daysOf()).toEqual({ [one.id]: [[day, 2]], [other.id]: [[day, 3]] });
  expect(await daysOf((await organization(db.sql)).owner)).toEqual({});
});

test('a request that is rejected or only checked is not counted', async () => {
  const key = await newKey();
  await admit(key, 0);
  await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org}`;
  await admit(key);
  expect(await daysOf()).toEqual({});
});

test('the first request of a later day stores the days before, and 60 days are kept', async () => {
  const key = await newKey();
  await admit(key, 5);
  await setDay(2);
  await admit(key);
  await setDay(1);
  await db.sql`
    insert into account.key_days (org_id, key_id, day, requests)
    values (${org}, ${key.id}, current_date - 59, 7), (${org}, ${key.id}, current_date - 62, 7)`;
  await admit(key, 4);
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  expect(await daysOf()).toEqual({
    [key.id]: [
      ...[
        [day(2), 5],
        [day(1), 1],
      ],
      ...[[day(0), 4]],
    ],
  });
  const kept = await db.sql`select day from account.key_days where org_id = ${org} and day < current_date - 30`;
  expect(kept).toHaveLength(1);
});

test('more keys than the row holds lose no request', async () => {
  const keys: Key[] = [];
  for (let number = 0; number < 35; number += 1) keys.push(await newKey());
  for (const key of [...keys, ...keys]) await admit(key);
  const days = await daysOf();
  expect(Object.keys(days)).toHaveLength(35);
  expect(keys.filter((key) => days[key.id]?.[0]?.[1] !== 2)).toEqual([]);
  const [row] = await db.sql`select cardinality(day_keys) as held from account.usage where org_id = ${org}`;
  expect(row?.held).toBeLessThanOrEqual(32);
});

test('requests of the dashboard count under the key of zeros', async () => {
  await rpc(db.sql, owner, 'open_opportunities()');
  expect(await as(db.sql, owner, 'select key_id, requests from api.my_key_days')).toEqual([
    { key_id: DASHBOARD, requests: '1' },
  ]);
});

test.each([
  ['on the same day', 0],
  ['after the day has ended', 1],
])('an unused lease is taken out of the day of its key %s', async (_, back) => {
  await db.sql`select account.set_lease_percent(${org}, 10)`;
  const key = await newKey();
  const [lease] = await db.sql`select * from account.lease_requests(decode(${key.hash}, 'hex'), 100)`;
  if (back > 0) {
    await setDay(1);
    await db.sql`update account.request_leases set day = day - 1 where lease_id = ${lease?.lease_id}`;
    await admit(key);
  }
  await db.sql`select account.return_requests(${lease?.lease_id}, 60, 60)`;
  const counts = Object.values(await daysOf())[0]?.map(([, requests]) => requests);
  expect(counts).toEqual(back > 0 ? [40, 1] : [40]);
});
