import { duration, exactUtc } from '../components/format.ts';
import { useNow } from '../components/now.ts';
import { ageOf, feedClass, feedDescription, feedLabel } from './feed_text.ts';
import { answeredAgo, type HealthState, serviceNow } from './health.ts';

/**
 * The feed state of one venue, with the age of its last message. While the service does not
 * respond, the state is unknown and the card shows the age of the last response.
 */
export function FeedCard({ name, reading }: { name: 'venue_a' | 'venue_b'; reading: HealthState }) {
  useNow();
  const feed = reading.health?.venues[name] ?? null;
  if (reading.error) return <UnknownFeed name={name} reading={reading} />;

  return (
    <article class={`feed card ${name}`} aria-label={name}>
      <h2>
        <span class="swatch" aria-hidden="true" />
        {name}
      </h2>
      <p class={`verdict ${feed ? feedClass(feed.state) : 'is-waiting'}`}>
        <span class="dot" aria-hidden="true" />
        {feed ? feedLabel[feed.state] : 'Loading…'}
      </p>
      <p class="age" title={feed?.last_message_at ? exactUtc(feed.last_message_at) : undefined}>
        {ageOf(feed, serviceNow(reading))}
      </p>
      <p class="muted small">{feed ? feedDescription[feed.state] : 'No data has been received yet.'}</p>
    </article>
  );
}

function UnknownFeed({ name, reading }: { name: 'venue_a' | 'venue_b'; reading: HealthState }) {
  const feed = reading.health?.venues[name] ?? null;
  const ago = answeredAgo(reading);
  return (
    <article class={`feed card ${name}`} aria-label={name}>
      <h2>
        <span class="swatch" aria-hidden="true" />
        {name}
      </h2>
      <p class="verdict is-waiting">
        <span class="dot" aria-hidden="true" />
        Unknown
      </p>
      <p class="age" title={feed?.last_message_at ? exactUtc(feed.last_message_at) : undefined}>
        {ago === null ? '–' : `Last known ${duration(ago)} ago`}
      </p>
      <p class="muted small">
        {feed ? `Last state: ${feedLabel[feed.state].toLowerCase()}.` : 'No data has been received yet.'}
      </p>
    </article>
  );
}
