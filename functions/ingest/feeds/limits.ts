import type { JsonFault, JsonLimits } from '../../_shared/json_limits.ts';

/**
 * Limits of what a venue may send, so that no answer and no message fills the memory of a worker
 * (256 MB of heap). Figures of real data are in venues.md E.
 */

/**
 * Bytes of one answer, after decompression. The largest real ones are the list of all series of
 * venue_a (about 6 MB for 10,000 series) and a page of 100 large events (2 to 9 MB). A page of
 * listings above the limit is asked for again with half as many events (listing_sweep.ts).
 */
export const MAX_ANSWER_BYTES = 16 * 1_048_576;

/** An answer of this length with 600,000 values has 28 bytes a value; recorded listings have 30 to 47. */
export const ANSWER_LIMITS: JsonLimits = { maxDepth: 64, maxValues: 600_000 };

/**
 * Bytes of one message of a socket. A snapshot of a book with 2,000 levels has 60 KB, and venue_b
 * may put the books of all 400 tokens of a connection into one message.
 */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576;
export const MESSAGE_LIMITS: JsonLimits = { maxDepth: 64, maxValues: 600_000 };

/** What a venue sent that is not read: `rest.` or `message.` comes before it. */
export type LimitFault = JsonFault | 'too_large';

export const LIMIT_DETAIL: Record<LimitFault, string> = {
  too_large: 'has too many bytes',
  too_deep: 'nests too deep',
  too_many: 'has too many values',
};
