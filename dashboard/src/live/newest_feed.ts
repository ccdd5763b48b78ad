import type { Feed } from './store.ts';

/**
 * What is known of a feed from both sources. `status` frames say at once what /health says within seconds, so the word is the frame's,
 * as long as /health has read no later message.
 */
export function newestFeed(asked: Feed | null, heard: Feed | null): Feed | null {
  if (!asked || !heard) return heard ?? asked;
  return timeOf(asked) > timeOf(heard) ? asked : heard;
}

function timeOf({ last_message_at }: Feed): number {
  return last_message_at === null ? 0 : Date.parse(last_message_at);
}
