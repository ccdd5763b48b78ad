import { expect } from 'vitest';
import type { IngestQueries } from '../../../functions/ingest/database.ts';
import type { VenueCode } from '../../../functions/ingest/listing.ts';
import { ListingSweep } from '../../../functions/ingest/listing_sweep.ts';
import type { ListingPage, ListingReader } from '../../../functions/ingest/readers.ts';
import { SerialQueue } from '../../../functions/ingest/serial_queue.ts';
import { recordingRuntime } from '../../ingest/runtime.ts';
import { waitUntil } from '../../support/wait_until.ts';

/**
 * Runs one listing sweep over this page only. Fails with the log lines of a sweep that does not
 * finish.
 */
export async function sweepPage(queries: IngestQueries, venue: VenueCode, page: ListingPage): Promise<void> {
  const runtime = recordingRuntime();
  const stop = new AbortController();
  const reader: ListingReader = {
    venue,
    begin: async () => ({ series: [], rejected: [] }),
    page: async () => page,
    eventsById: async () => ({ batch: { events: [], rejected: [] }, missing: [] }),
  };
  const sweep = new ListingSweep({
    reader,
    queries,
    runtime,
    queue: new SerialQueue(),
    holdsLease: () => true,
    tryPage: () => true,
    listingsSeconds: 60,
    alwaysRests: false,
    pageEvents: 100,
    maxUnsettled: 50,
    onPage: () => {},
  });
  const run = sweep.run(stop.signal);
  try {
    await waitUntil(() => sweep.sweeps === 1 || runtime.lines.length > 0, { what: 'the sweep', timeoutMs: 20_000 });
    expect(runtime.lines).toEqual([]);
  } finally {
    stop.abort();
    await run;
  }
}
