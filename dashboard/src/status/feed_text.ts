import { relative } from '../components/format.ts';
import type { FeedState } from './feed_state.ts';
import type { Feed } from './health.ts';

export const feedLabel = { up: 'Up', stale: 'Stale', down: 'Down', unknown: 'Unknown' } as const;

export const feedDescription = {
  up: 'Data within the last minute.',
  stale: 'No data for a minute, or no order books are read.',
  down: 'No heartbeat. Its prices are not published.',
  unknown: 'The service cannot reach its database.',
} as const;

/** The CSS class of a feed state. An unknown state has no colour. */
export const feedClass = (state: FeedState): string => (state === 'unknown' ? 'is-waiting' : `is-${state}`);

/**
 * Age of a feed's last message by the service's clock (serviceNow). In a replay that is not the
 * browser's clock.
 */
export function ageOf(feed: Feed | null, now: number): string {
  if (!feed?.last_message_at) return '–';
  return relative(Math.min(Date.parse(feed.last_message_at), now), now);
}
