import { relative } from '../components/format.ts';
import type { Feed } from './health.ts';

export const feedLabel = { up: 'Fresh', stale: 'Quiet', down: 'Not read' } as const;

export const feedDescription = {
  up: 'News within the last minute.',
  stale: 'Connected, but no news for a minute.',
  down: 'No sign of life. Its prices are withheld.',
} as const;

/** How old a feed's last message is by the service's own clock (serviceNow), which in a replay is not the reader's. */
export function ageOf(feed: Feed | null, now: number): string {
  if (!feed?.last_message_at) return '–';
  return relative(Math.min(Date.parse(feed.last_message_at), now), now);
}
