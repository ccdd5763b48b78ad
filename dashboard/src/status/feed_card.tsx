import { duration, exactUtc } from '../components/format.ts';
import { useNow } from '../components/now.ts';
import { ageOf, feedDescription, feedLabel } from './feed_text.ts';
import { answeredAgo, type HealthState, serviceNow } from './health.ts';

/**
 * One venue's freshness: state by dot and word, the age of the last message, the exact time on hover.
 * While the service does not answer the state is unknown, and the card says how old its last answer is.
 */
export function FeedCard({ name, reading }: { name: 'venue_a' | 'venue_b'; reading: HealthState }) {
  useNow();
  const feed = reading.health?.venues[name] ?? null;
  if (reading.error) return <UnknownFeed name={name} reading={reading} />;
  const state = feed?.state ?? 'down';
  return (
    <article class={`feed card ${name}`} aria-label={name}>
      <h2>
        <span class="swatch" aria-hidden="true" />
        {name}
      </h2>
      <p class={`verdict is-${feed ? state : 'waiting'}`}>
        <span class="dot" aria-hidden="true" />
        {feed ? feedLabel[state] : 'Waiting'}
      </p>
      <p class="age" title={feed?.last_message_at ? exactUtc(feed.last_message_at) : undefined}>
        {ageOf(feed, serviceNow(reading))}
      </p>
      <p class="muted small">{feed ? feedDescription[state] : 'Nothing has been read yet.'}</p>
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
        {feed ? `It was “${feedLabel[feed.state].toLowerCase()}” then.` : 'Nothing has been read yet.'}
      </p>
    </article>
  );
}
