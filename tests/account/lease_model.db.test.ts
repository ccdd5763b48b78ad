import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseTime, stopDatabaseTime } from '../support/database_time.ts';
import { runs } from '../support/runs.ts';
import { LeaseModel, type Step } from './support/lease_model.ts';

/**
 * Guarantee: isolates with leases never serve more than the limits, however they die, and however
 * clocks and plans change. What is counted is what was served, and the leases of dead isolates.
 */

let db: TestDatabase;
let time: DatabaseTime;
beforeAll(async () => {
  db = await createDatabase();
  await db.sql`update account.tiers set window_requests = 400, month_requests = 3000 where tier = 'free'`;
  await db.sql`update account.tiers set window_requests = 1000, month_requests = 9000 where tier = 'pro'`;
  time = await stopDatabaseTime(db.sql);
});
afterAll(() => db.close());

const isolate = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('requests' as const),
      times: fc.integer({ min: 1, max: 90 }),
      spread: fc.boolean(),
      isolate,
      hasData: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(1, 300, 700, 1_000, 1_500, 20_000, 60_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), isolate }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const), isolate }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('database clock' as const),
      ms: fc.constantFrom(-90_000, -30_000, -2_000, 400, 30_000, 59_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('host clock' as const),
      isolate,
      ms: fc.constantFrom(-3_600_000, 500, 3_600_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('plan' as const),
      tier: fc.constantFrom('free' as const, 'pro' as const),
      percent: fc.constantFrom(0, 5, 25),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('month' as const) }) },
);

test('isolates with leases serve at most the limits, and the counts are what they served', async () => {
  let leased = 0;
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const model = await LeaseModel.create(db, time, 4);
      try {
        for (const one of steps) {
          await model.run(one);
          await model.check();
        }
        await model.returnAll();
        await model.check();
        leased += model.servedByLease;
        counted += model.servedByDatabase;
      } finally {
        await model.close();
      }
    }),
    // Not shrunk: a schedule takes a second.
    { endOnFailure: true, numRuns: runs(8) },
  );
  // The schedules are no test of leases if nearly all requests went to the database.
  expect(leased).toBeGreaterThan(counted / 10);
});
