import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { campaign } from './support/campaign.ts';
import { applyFaults, contextA, contextB, eventsA, eventsB, faultyEvent, validA, validB } from './support/listings.ts';
import { sweepPage } from './support/sweep_page.ts';

/**
 * Guarantee: a listing sweep finishes over any content of a page, stores the valid events, and the
 * match pass and the watch list succeed on the stored rows.
 */

let database: TestDatabase;
let queries: IngestQueries;
beforeAll(async () => {
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
});
afterAll(async () => {
  await queries.end();
  await database.close();
});

campaign(
  'the sweep finishes over pages with invalid events, stores the valid one, and the match pass succeeds',
  () =>
    fc.asyncProperty(
      fc.array(faultyEvent(eventsA), { minLength: 6, maxLength: 6 }),
      fc.array(faultyEvent(eventsB), { minLength: 6, maxLength: 6 }),
      async (invalidA, invalidB) => {
        await database.sql`delete from venue.events`;
        await sweepPage(queries, 'venue_a', {
          batch: listVenueA([...invalidA.map(applyFaults), validA], contextA),
          cursor: null,
        });
        await sweepPage(queries, 'venue_b', {
          batch: listVenueB([...invalidB.map(applyFaults), validB], contextB),
          cursor: null,
        });
        const rows = await database.sql<{ event_id: string }[]>`
          select event_id from venue.events where event_id in (${String(validA.event_ticker)}, ${String(validB.slug)})`;
        expect(rows).toHaveLength(2);
        // The watch list is computed from the same rows.
        await database.sql`select from price.watch_list(array(select 'books:' || n from generate_series(0, 63) n))`;
      },
    ),
  10,
);
