import type { Feed } from './health.ts';

const WORDS = { up: 'Fresh', stale: 'Quiet', down: 'Not read' } as const;
const MEANING = {
  up: 'News within the last minute.',
  stale: 'Connected, but no news for a minute.',
  down: 'No sign of life. Its prices are withheld.',
} as const;

/** One venue's freshness: state by icon and word, the age of the last message, the exact time on hover. */
export function FeedCard({ name, feed, now }: { name: 'venue_a' | 'venue_b'; feed: Feed | null; now: string | null }) {
  const state = feed?.state ?? 'down';
  return (
    <article class={`feed ${name}`} aria-label={name}>
      <h2>
        <span class="swatch" aria-hidden="true" />
        {name}
      </h2>
      <p class={`state is-${feed ? state : 'waiting'}`}>
        <span class="dot" aria-hidden="true" />
        {feed ? WORDS[state] : 'Waiting'}
      </p>
      <p class="age" title={feed?.last_message_at ?? undefined}>
        {age(feed?.last_message_at ?? null, now)}
      </p>
      <p class="meaning">{feed ? MEANING[state] : 'Nothing has been read yet.'}</p>
    </article>
  );
}

function age(at: string | null, now: string | null): string {
  if (!at || !now) return '–';
  const seconds = Math.max(0, (Date.parse(now) - Date.parse(at)) / 1000);
  if (seconds < 1) return 'just now';
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  return `${Math.round(seconds / 60)} min ago`;
}
