import { surroundings } from '../../functions/_shared/runtime.ts';
import type { Surroundings } from '../../functions/_shared/surroundings.ts';
import type { FeedSurroundings } from '../../functions/ingest/feeds/feed.ts';
import type { SetAside } from '../../functions/ingest/listing.ts';

export const around: Surroundings = surroundings;

/** Surroundings whose faults and lines are kept for the test to look at. */
export function watched(): FeedSurroundings & { asides: SetAside[]; lines: string[] } {
  const asides: SetAside[] = [];
  const lines: string[] = [];
  return {
    ...around,
    shown: () => Date.now(),
    segment: () => null,
    aside: (row) => asides.push(row),
    log: (line) => lines.push(line),
    asides,
    lines,
  };
}
