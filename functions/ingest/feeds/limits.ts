import type { JsonLimits } from '../../_shared/json_limits.ts';
import type { BodyFault } from '../../_shared/limited_text.ts';

/**
 * Limits of what a venue may send, so that no answer and no message fills the memory of a worker
 * (256 MB of heap). Recorded sizes: venues.md E.
 */

/**
 * Bytes of one answer, after decompression. The largest real ones are the list of all series of
 * venue_a (about 6 MB for 10,000 series) and a page of 100 large events (2 to 11 MB). A page of
 * listings above the limit is asked for again with half as many events (listing_sweep.ts).
 */
export const MAX_ANSWER_BYTES = 16 * 1_048_576;

/** 16 MiB with 600,000 values have 28 bytes a value. Recorded listings have 30 to 47. */
export const ANSWER_LIMITS: JsonLimits = { maxDepth: 64, maxValues: 600_000 };

/**
 * Bytes of one message of a socket. A snapshot of a book with 2,000 levels has 60 KB, and venue_b
 * may put the books of all 400 tokens of a connection into one message.
 */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576;
export const MESSAGE_LIMITS: JsonLimits = { maxDepth: 64, maxValues: 600_000 };

/** What a venue sent that is not read: `rest.` or `message.` comes before it. */
export type LimitFault = BodyFault;

export const LIMIT_DETAIL: Record<LimitFault, string> = {
  too_large: 'has too many bytes',
  too_deep: 'nests too deep',
  too_many: 'has too many values',
};

/**
 * Rows of one answer. The readers ask for 100 events, 500 milestones, 1,000 markets or 100 books
 * at most; the list of all series is one answer. An event with more markets than 2,000 is an error
 * of the venue: the largest recorded ones have some 240.
 */
export const MAX_ROWS = { events: 1_000, series: 50_000, milestones: 5_000, markets: 2_000, books: 1_000 } as const;

/** Pages and rows of one sweep. Sixty pages of 200 events had 12,000 events (venues.md A2). */
export const MAX_PAGES = 20_000;
export const MAX_SWEEP_ROWS = 500_000;
/** Pages of a list that is kept in memory as a whole: milestones, or the markets of one event. */
export const MAX_PAGES_IN_MEMORY = 100;
export const MAX_CURSOR_CHARS = 1_000;

/**
 * Characters of the rules of all markets of one page. An event's own text is repeated for each of
 * its markets, so 16 MB of listings could become gigabytes of rules.
 */
export const MAX_PAGE_RULES_CHARS = 16_000_000;

/** Each event of a milestone gets the whole milestone, so both numbers multiply. */
export const MAX_EVENTS_OF_MILESTONE = 500;
export const MAX_MILESTONES_OF_EVENT = 50;
