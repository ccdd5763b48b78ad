import { expect } from 'vitest';
import type { IngestQueries } from '../../../functions/ingest/database.ts';
import type { VenueCode } from '../../../functions/ingest/listing.ts';
import { ListingSweep } from '../../../functions/ingest/listing_sweep.ts';
import type { ListingPage, ListingReader } from '../../../functions/ingest/readers.ts';
import { SerialQueue } from '../../../functions/ingest/serial_queue.ts';
import { watched } from '../../ingest/around.ts';
import { waitUntil } from '../../support/wait_until.ts';

/** One sweep of a venue whose listings are this page alone. Fails with what the walk said where it did not end. */
export async function walkedBy(doors: IngestQueries, venue: VenueCode, page: ListingPage): Promise<void> {
  const around = watched();
  const ending = new AbortController();
  const reader: ListingReader = {
    venue,
    begin: async () => ({ series: [], set_aside: [] }),
    page: async () => page,
    named: async () => ({ batch: { events: [], set_aside: [] }, missing: [] }),
  };
  const walk = new ListingSweep({
    reader,
    queries: doors,
    around,
    background: new SerialQueue(),
    holds: () => true,
    spend: () => true,
    listingsSeconds: 60,
    restAlways: false,
    unsettled: 50,
    alive: () => {},
  });
  const running = walk.run(ending.signal);
  try {
    await waitUntil(() => walk.sweeps === 1 || around.lines.length > 0, { what: 'the sweep', timeoutMs: 20_000 });
    expect(around.lines).toEqual([]);
  } finally {
    ending.abort();
    await running;
  }
}
