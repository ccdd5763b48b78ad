import { NO_VALUE, percent } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { safeLink } from '../live/safe_link.ts';
import { type Entry, type Listing, type ReviewPair, startText } from './review.ts';
import { UntrustedText } from './untrusted_text.tsx';

/** Each candidate with both listings side by side, and whether a confirmation would publish it. */
export function PairList({ entry }: { entry: Entry }) {
  return (
    <section class="stack review-pairs" aria-labelledby="review-pairs">
      <h3 id="review-pairs">{entry.kind === 'race' ? 'Both lists of runners' : 'Games, as both venues list them'}</h3>
      <ul>
        {entry.pairs.map((pair) => (
          <PairItem key={pair.id} pair={pair} sentences={entry.sentences} />
        ))}
      </ul>
    </section>
  );
}

function PairItem({ pair, sentences }: { pair: ReviewPair; sentences: Entry['sentences'] }) {
  return (
    <li class="card review-pair">
      <div class="card-head">
        <h4>
          <UntrustedText text={pair.title} />
        </h4>
        <span class="small muted">{startText(pair.start_at)}</span>
      </div>
      <div class="card-body">
        <Outcome code={pair.blocked_by} sentences={sentences} />
        <div class="review-sides">
          <Side venue="venue_a" listing={pair.venue_a} />
          <Side venue="venue_b" listing={pair.venue_b} />
        </div>
        <NamesThatMet names={pair.names} />
        <p class="muted small">
          Confidence: the same game {percent(pair.entity)}, the same settlement {percent(pair.resolution)}
        </p>
      </div>
    </li>
  );
}

function Outcome({ code, sentences }: { code: string | null; sentences: Entry['sentences'] }) {
  if (code === null) {
    return (
      <p class="state is-up">
        <Icon name="check" />
        Would be published
      </p>
    );
  }
  return (
    <p class="review-blocked">
      <span class="state is-stale">
        <Icon name="warning" />
        Stays a candidate
      </span>{' '}
      {sentences[code] ?? ''} <code>{code}</code>
    </p>
  );
}

/** The listing of a venue. Title, id and URL are untrusted. */
function Side({ venue, listing }: { venue: 'venue_a' | 'venue_b'; listing: Listing }) {
  const url = safeLink(listing.url);
  return (
    <div class="review-side">
      <p class="small">
        <span class={`swatch ${venue}`} aria-hidden="true" /> <strong>{venue}</strong>
      </p>
      <p>
        <UntrustedText text={listing.title ?? NO_VALUE} />
      </p>
      <p class="mono small muted">
        <UntrustedText text={listing.event} max={100} />
      </p>
      {url && (
        <a class="small" href={url} target="_blank" rel="noopener noreferrer">
          Open on {venue}
          <span class="visually-hidden"> in a new tab</span>
        </a>
      )}
    </div>
  );
}

/** A list of runners may have hundreds of names. */
const MAX_NAMES = 40;

function NamesThatMet({ names }: { names: ReviewPair['names'] }) {
  return (
    <ul class="review-met small" aria-label="Names that met">
      {names.slice(0, MAX_NAMES).map((name) => (
        <li key={name.key} class="chip">
          <UntrustedText text={name.venue_a} max={60} />
          {name.venue_a !== name.venue_b && (
            <>
              {' = '}
              <UntrustedText text={name.venue_b} max={60} />
            </>
          )}{' '}
          <span class="muted">{percent(name.similarity)}</span>
        </li>
      ))}
      {names.length > MAX_NAMES && <li class="muted">and {names.length - MAX_NAMES} more</li>}
    </ul>
  );
}
