import { duration } from '../components/format.ts';
import { useNow } from '../components/now.ts';
import { ageOf, feedClass, feedLabel } from '../status/feed_text.ts';
import { answeredAgo, serviceNow, useHealth } from '../status/health.ts';

/** The feed state of both venues, on every page. Links to Status. */
export function FeedStrip() {
  useNow();
  const reading = useHealth();
  const { health, error } = reading;
  const ago = answeredAgo(reading);
  return (
    <a class="strip" href="/status">
      <span class="visually-hidden">Status: </span>
      {(['venue_a', 'venue_b'] as const).map((name) => {
        const feed = health?.venues[name] ?? null;
        const stateClass = error || !feed ? 'is-waiting' : feedClass(feed.state);
        return (
          <span key={name} class={name}>
            <span class="swatch" aria-hidden="true" />
            <span class="name">{name}</span>
            <span class={`state ${stateClass}`}>
              {error ? 'No response' : feed ? feedLabel[feed.state] : 'Loading…'}
            </span>
            <time class="age muted" dateTime={feed?.last_message_at ?? undefined}>
              {error ? ago !== null && `for ${duration(ago)}` : ageOf(feed, serviceNow(reading))}
            </time>
          </span>
        );
      })}
    </a>
  );
}
