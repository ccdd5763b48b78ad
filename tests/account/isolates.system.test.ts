import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { runConcurrently } from './support/concurrent.ts';

/**
 * Guarantee: 50 clients in several processes, over several isolates of the API, get exactly as many
 * requests as the limit of their organization allows.
 */

let world: ApiFixture;
let isolates: Isolate[] = [];
beforeAll(async () => {
  world = await createApiFixture();
  isolates = await Promise.all([1, 2].map(() => startIsolate(world.db.url('parallax_api'))));
}, 90_000);
afterAll(async () => {
  for (const isolate of isolates) isolate.stop();
  await world.close();
});

test('the API is exact for 50 clients over 2 isolates: of 1,200 requests with 600 left, 600 get 429', async () => {
  const key = await world.key('free');
  const [limit] = await world.db.sql<{ window_requests: number }[]>`
    select window_requests from account.tiers where tier = 'free'`;
  const allowed = limit?.window_requests ?? 0;
  // The window begins in the future, so that it does not end while a slow machine counts.
  await world.db.sql`
    update account.usage u
    set window_began_at = clock_timestamp() + interval '5 minutes', window_used = 0
    from account.keys k
    where k.org_id = u.org_id and k.hash = account.key_hash(${key})`;
  const bases = isolates.map((isolate) => isolate.base);
  const results = await runConcurrently(5, 'tests/account/support/client.ts', () => [key, '10', '24', ...bases]);
  const statuses: Record<string, number> = {};
  for (const answers of results as Record<string, number>[]) {
    for (const [status, times] of Object.entries(answers)) statuses[status] = (statuses[status] ?? 0) + times;
  }
  expect(allowed).toBeGreaterThan(0);
  expect(allowed).toBeLessThan(1200);
  expect(statuses).toEqual({ 200: allowed, 429: 1200 - allowed });
  const counted = await world.db.sql`
    select u.window_used, u.month_used
    from account.usage u
    join account.keys k using (org_id)
    where k.hash = account.key_hash(${key})`;
  expect(counted).toEqual([{ window_used: allowed, month_used: allowed }]);
}, 60_000);
