import { useEffect } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { feedDescription, feedLabel } from '../status/feed_text.ts';
import { useHealth } from '../status/health.ts';
import { venues } from './frames.ts';
import type { Live } from './live.ts';
import { MarketAgo } from './market_times.tsx';
import { newestFeed } from './newest_feed.ts';

/**
 * Names each venue whose feed is not up, next to its prices, as soon as a `feed` frame or /health
 * reports it. The strip on every page shows both venues. Also sets the market clock of the page.
 */
export function Freshness({ live }: { live: Live }) {
  const { health, error, readAt } = useHealth();
  const time = health?.time;
  useEffect(() => {
    if (time && readAt !== null) live.clock.set(time, readAt);
  }, [live, time, readAt]);
  return (
    <ul class="freshness" aria-label="Venues whose prices may be old">
      {venues.map((venue) => {
        const feed = newestFeed(error ? null : (health?.venues[venue] ?? null), live.store.feeds[venue]);
        if (!feed || feed.state === 'up') return null;
        return (
          <li key={venue} class={venue}>
            <span class="swatch" aria-hidden="true" />
            {venue}
            <span class={`state is-${feed.state}`}>
              <Icon name="warning" />
              {feedLabel[feed.state]}
            </span>
            <span class="muted">
              {feedDescription[feed.state]} Last message <MarketAgo at={feed.last_message_at} clock={live.clock} />.
            </span>
          </li>
        );
      })}
    </ul>
  );
}
