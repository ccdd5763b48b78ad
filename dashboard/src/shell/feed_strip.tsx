import { duration, exactUtc } from '../components/format.ts';
import { useNow } from '../components/now.ts';
import { ageOf, feedLabel } from '../status/feed_text.ts';
import { answeredAgo, serviceNow, useHealth } from '../status/health.ts';

/** On every page: both venues' freshness at a glance. Leads to the page that says more. */
export function FeedStrip() {
  useNow();
  const reading = useHealth();
  const { health, error } = reading;
  const ago = answeredAgo(reading);
  return (
    <a class="strip" href="/status">
      <span class="unseen">Status: </span>
      {(['venue_a', 'venue_b'] as const).map((name) => {
        const feed = health?.venues[name] ?? null;
        const state = error ? 'waiting' : (feed?.state ?? 'waiting');
        return (
          <span key={name} class={name} title={feed?.last_message_at ? exactUtc(feed.last_message_at) : undefined}>
            <span class="swatch" aria-hidden="true" />
            <span class="name">{name}</span>
            <span class={`state is-${state}`}>{error ? 'No answer' : feed ? feedLabel[feed.state] : 'Asking…'}</span>
            <span class="age muted">
              {error ? ago !== null && `for ${duration(ago)}` : ageOf(feed, serviceNow(reading))}
            </span>
          </span>
        );
      })}
    </a>
  );
}
