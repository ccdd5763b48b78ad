import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';

test('the tiers have the limits of the specification', async () => {
  const db = await createDatabase();
  const rows = await db.sql`
    select tier, window_requests as window, month_requests as month, stream_connections as connections,
           webhook_endpoints as endpoints, exports
    from account.tiers order by month_requests, window_requests, exports`;
  expect(rows).toEqual([
    { tier: 'free', window: 600, month: 10_000, connections: 1, endpoints: 0, exports: false },
    { tier: 'basic', window: 600, month: 1_000_000, connections: 3, endpoints: 3, exports: false },
    { tier: 'premium', window: 1_500, month: 5_000_000, connections: 10, endpoints: 3, exports: false },
    { tier: 'pro', window: 1_500, month: 5_000_000, connections: 10, endpoints: 3, exports: true },
  ]);
  await db.close();
});
