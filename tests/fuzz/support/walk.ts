import { expect } from 'vitest';
import type { IngestQueries } from '../../../functions/ingest/database.ts';
import type { VenueCode } from '../../../functions/ingest/listing.ts';
import { ListingSweep } from '../../../functions/ingest/listing_sweep.ts';
import type { ListingPage, ListingReader } from '../../../functions/ingest/readers.ts';
import { SerialQueue } from '../../../functions/ingest/serial_queue.ts';
import { recordingRuntime } from '../../ingest/runtime.ts';
import { waitUntil } from '../../support/wait_until.ts';

/** One sweep of a venue whose listings are this page alone. Fails with what the walk said where it did not end. */
export async function walkedBy(doors: IngestQueries, venue: VenueCode, page: ListingPage): Promise<void> {
  const runtime = recordingRuntime();
  const ending = new AbortController();
  const reader: ListingReader = {
    venue,
    begin: async () => ({ series: [], rejected: [] }),
    page: async () => page,
    eventsById: async () => ({ batch: { events: [], rejected: [] }, missing: [] }),
  };
  const walk = new ListingSweep({
    reader,
    queries: doors,
    runtime,
    queue: new SerialQueue(),
    holdsLease: () => true,
    tryPage: () => true,
    listingsSeconds: 60,
    alwaysRests: false,
    maxUnsettled: 50,
    onPage: () => {},
  });
  const running = walk.run(ending.signal);
  try {
    await waitUntil(() => walk.sweeps === 1 || runtime.lines.length > 0, { what: 'the sweep', timeoutMs: 20_000 });
    expect(runtime.lines).toEqual([]);
  } finally {
    ending.abort();
    await running;
  }
}
