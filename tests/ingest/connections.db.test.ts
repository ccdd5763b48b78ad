import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';

/** Guarantee: statements that take long never keep a worker from renewing its leases. */

let database: TestDatabase;
let queries: IngestQueries;
beforeAll(async () => {
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}, 2));
});
afterAll(async () => {
  await queries?.end();
  await database?.close();
});

it('two long statements at once leave a connection for the leases, and both end', async () => {
  const holder = await database.sql.reserve();
  await holder`begin`;
  await holder`lock table venue.series in access exclusive mode`;
  const both = Promise.all([queries.upsertSeries('venue_a', []), queries.upsertSeries('venue_b', [])]);
  await waitUntil(
    async () =>
      (
        await database.sql`
          select from pg_stat_activity
          where usename = 'parallax_ingest' and datname = current_database() and wait_event_type = 'Lock'`
      ).length > 0,
    { what: 'a long statement waits' },
  );
  const began = performance.now();
  const [claimed] = await queries.claimLeases(crypto.randomUUID(), 'books:', 1, 10, null);
  expect([claimed?.name, performance.now() - began < 5_000]).toEqual(['books:0', true]);
  await holder`rollback`;
  holder.release();
  await both;
});
