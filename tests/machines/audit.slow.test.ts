import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { deliveryErrors, fencingErrors, recordWriters } from './audit.ts';

// Guarantee: the checks of tests/machines/cut.slow.test.ts can fail.

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await recordWriters(db.sql);
});
afterAll(() => db.close());

it('a write under a token that another machine took is reported, and a token that two took', async () => {
  await db.sql`
    insert into writers.leases (name, token, holder, address)
    values ('books:0', 1, ${randomUUID()}, '10.0.0.1'), ('books:0', 2, ${randomUUID()}, '10.0.0.2'),
      ('books:1', 7, ${randomUUID()}, '10.0.0.1')`;
  await db.sql`
    insert into writers.prices (shard, token, address)
    values ('books:0', 1, '10.0.0.1'), ('books:0', 2, '10.0.0.2'), ('books:1', 7, '10.0.0.1')`;
  expect(await fencingErrors(db.sql)).toEqual([]);
  await db.sql`insert into writers.prices (shard, token, address) values ('books:0', 2, '10.0.0.1')`;
  await db.sql`
    insert into writers.leases (name, token, holder, address) values ('books:1', 7, ${randomUUID()}, '10.0.0.2')`;
  expect(await fencingErrors(db.sql)).toEqual([
    'books:0#2 was taken by 10.0.0.2 and written by 10.0.0.1',
    'books:1#7 was taken by 10.0.0.2 and written by 10.0.0.1',
    'books:1#7 was taken 2 times',
  ]);
});

it('a second claim during an attempt is reported, and a second record of one delivery', async () => {
  const [once, twice] = [randomUUID(), randomUUID()];
  await db.sql`
    insert into writers.claims (delivery_id, address, was_claimed)
    values (${once}, '10.0.0.1', false), (${twice}, '10.0.0.2', false)`;
  await db.sql`insert into writers.delivered (delivery_id) values (${once}), (${twice})`;
  expect(await deliveryErrors(db.sql)).toEqual([]);
  await db.sql`insert into writers.claims (delivery_id, address, was_claimed) values (${twice}, '10.0.0.1', true)`;
  await db.sql`insert into writers.delivered (delivery_id) values (${twice})`;
  expect(await deliveryErrors(db.sql)).toEqual([
    `${twice} was claimed by 10.0.0.1 during another attempt`,
    `${twice} was recorded as delivered 2 times`,
  ]);
});
