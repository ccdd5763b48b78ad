import type { Runtime } from '../../functions/_shared/runtime.ts';
import { systemRuntime } from '../../functions/_shared/system_runtime.ts';
import type { FeedRuntime } from '../../functions/ingest/feeds/feed.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import type { RejectedRow } from '../../functions/ingest/listing.ts';

export const runtime: Runtime = systemRuntime;

/** A runtime that records rejected rows and log lines. */
export function recordingRuntime(): FeedRuntime & { rejected: RejectedRow[]; lines: string[] } {
  const rejected: RejectedRow[] = [];
  const lines: string[] = [];
  return {
    ...runtime,
    marketNow: () => Date.now(),
    segment: () => null,
    reject: (row) => rejected.push(row),
    unknown: new UnknownValues('venue_a'),
    log: (line) => lines.push(line),
    rejected,
    lines,
  };
}
