import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { campaign } from './support/campaign.ts';
import { contextA, contextB, eventsA, eventsB, faulty, soundA, soundB, spoilt } from './support/listings.ts';
import { walkedBy } from './support/walk.ts';

// Guarantee: whatever a venue lists, the walk through its listings ends, the database takes what is sound, and the matcher and the list of
// prices that are wanted are made of it.

let database: TestDatabase;
let doors: IngestQueries;
beforeAll(async () => {
  database = await createDatabase();
  doors = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
});
afterAll(async () => {
  await doors.end();
  await database.close();
});

campaign(
  'the sweep finishes over pages with invalid events, stores the valid one, and the match pass succeeds',
  () =>
    fc.asyncProperty(
      fc.array(faulty(eventsA), { minLength: 6, maxLength: 6 }),
      fc.array(faulty(eventsB), { minLength: 6, maxLength: 6 }),
      async (badA, badB) => {
        await database.sql`delete from venue.events`;
        await walkedBy(doors, 'venue_a', { batch: listVenueA([...badA.map(spoilt), soundA], contextA), cursor: null });
        await walkedBy(doors, 'venue_b', { batch: listVenueB([...badB.map(spoilt), soundB], contextB), cursor: null });
        const rows = await database.sql<{ event_id: string }[]>`
          select event_id from venue.events where event_id in (${String(soundA.event_ticker)}, ${String(soundB.slug)})`;
        expect(rows).toHaveLength(2);
        // What the readers of prices are given is made of the same rows.
        await database.sql`select from price.watch_list(array(select 'books:' || n from generate_series(0, 63) n))`;
      },
    ),
  10,
);
