import { exactUtc } from '../parts/figures.ts';
import { ageOf, meaning, words } from './feed_words.ts';
import type { Feed } from './health.ts';

/** One venue's freshness: state by dot and word, the age of the last message, the exact time on hover. */
export function FeedCard({ name, feed, now }: { name: 'venue_a' | 'venue_b'; feed: Feed | null; now: string | null }) {
  const state = feed?.state ?? 'down';
  return (
    <article class={`feed card ${name}`} aria-label={name}>
      <h2>
        <span class="swatch" aria-hidden="true" />
        {name}
      </h2>
      <p class={`verdict is-${feed ? state : 'waiting'}`}>
        <span class="dot" aria-hidden="true" />
        {feed ? words[state] : 'Waiting'}
      </p>
      <p class="age" title={feed?.last_message_at ? exactUtc(feed.last_message_at) : undefined}>
        {ageOf(feed, now)}
      </p>
      <p class="muted small">{feed ? meaning[state] : 'Nothing has been read yet.'}</p>
    </article>
  );
}
