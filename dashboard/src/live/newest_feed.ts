import type { FeedState } from '../status/feed_state.ts';

type Feed = { state: FeedState; last_message_at: string | null };

/**
 * The newer of two feed states. A `feed` frame arrives at once and /health is polled, so the frame
 * wins unless /health has a later message.
 */
export function newestFeed(polled: Feed | null, received: Feed | null): Feed | null {
  if (!polled || !received) return received ?? polled;
  return timeOf(polled) > timeOf(received) ? polled : received;
}

function timeOf({ last_message_at }: Feed): number {
  return last_message_at === null ? 0 : Date.parse(last_message_at);
}
