import { useEffect } from 'preact/hooks';
import { words } from '../status/feed_words.ts';
import { useHealth } from '../status/health.ts';
import type { Live } from './live.ts';
import { MarketAgo } from './market_ago.tsx';
import type { Feed } from './store.ts';
import { venues } from './wire.ts';

/**
 * What is known of a feed: `status` frames say at once what /health says within seconds, so the word is the frame's, as long as no
 * later message has been read since.
 */
export function freshest(asked: Feed | null, heard: Feed | null): Feed | null {
  if (!asked || !heard) return heard ?? asked;
  return timeOf(asked) > timeOf(heard) ? asked : heard;
}

function timeOf({ last_message_at }: Feed): number {
  return last_message_at === null ? 0 : Date.parse(last_message_at);
}

/** Is what I see fresh? Both venues, by shape, word and age. */
export function Freshness({ live }: { live: Live }) {
  const { health, error } = useHealth();
  const time = health?.time;
  useEffect(() => {
    if (time) live.clock.set(time);
  }, [live, time]);
  return (
    <ul class="freshness" aria-label="Freshness of both venues">
      {venues.map((venue) => {
        const feed = freshest(error ? null : (health?.venues[venue] ?? null), live.store.feeds[venue]);
        return (
          <li key={venue}>
            <span class={`swatch ${venue}`} aria-hidden="true" />
            {venue}
            <span class={`state is-${feed?.state ?? 'waiting'}`}>{feed ? words[feed.state] : 'Asking…'}</span>
            <span class="muted age">
              <MarketAgo at={feed?.last_message_at} clock={live.clock} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
