import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { together } from './support/concurrent.ts';

/** Guarantee: 50 clients of several processes at several isolates of the API pass an organization's limit exactly, not by one. */

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

test('50 clients in 5 processes at 2 isolates: of 1,200 requests with 600 left, 600 pass and 600 get 429', async () => {
  const key = await world.key('free');
  const [limit] = await world.db.sql<{ window_requests: number }[]>`
    select window_requests from account.tiers where tier = 'free'`;
  const room = limit?.window_requests ?? 0;
  // The window began in the future, so that it does not end while a slow machine counts.
  await world.db.sql`
    update account.usage u
    set window_began_at = clock_timestamp() + interval '5 minutes', window_used = 0
    from account.keys k
    where k.org_id = u.org_id and k.hash = account.key_hash(${key})`;
  const bases = isolates.map((isolate) => isolate.base);
  const said = await together(5, 'tests/account/support/client.ts', () => [key, '10', '24', ...bases]);
  const statuses: Record<string, number> = {};
  for (const answers of said as Record<string, number>[]) {
    for (const [status, times] of Object.entries(answers)) statuses[status] = (statuses[status] ?? 0) + times;
  }
  expect(room).toBeGreaterThan(0);
  expect(room).toBeLessThan(1200);
  expect(statuses).toEqual({ 200: room, 429: 1200 - room });
  const counted = await world.db.sql`
    select u.window_used, u.month_used
    from account.usage u
    join account.keys k using (org_id)
    where k.hash = account.key_hash(${key})`;
  expect(counted).toEqual([{ window_used: room, month_used: room }]);
}, 60_000);
