import type { Runtime } from '../../functions/_shared/runtime.ts';
import { systemRuntime } from '../../functions/_shared/system_runtime.ts';
import { MarketClock } from '../../functions/ingest/clock.ts';
import type { FeedRuntime } from '../../functions/ingest/feeds/feed.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import type { RejectedRow, VenueCode } from '../../functions/ingest/listing.ts';

export const runtime: Runtime = systemRuntime;

export type RecordingRuntime = FeedRuntime & { rejected: RejectedRow[]; lines: string[] };

/** A runtime that records rejected rows and log lines. Market time is real time by default. */
export function recordingRuntime(
  venue: VenueCode = 'venue_a',
  base: Runtime = runtime,
  clock = new MarketClock(base.now),
): RecordingRuntime {
  const rejected: RejectedRow[] = [];
  const lines: string[] = [];
  return {
    ...base,
    marketNow: () => clock.now(),
    segment: () => clock.segment(),
    reject: (row) => rejected.push(row),
    unknown: new UnknownValues(venue),
    log: (line) => lines.push(line),
    rejected,
    lines,
  };
}
