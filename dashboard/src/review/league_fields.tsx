import type { Entry } from './review.ts';
import { UntrustedText } from './untrusted_text.tsx';
import type { Changes } from './use_reviews.ts';

const MAX_NAME = 100;

/** The league that a confirmation adds. Name and sport are suggestions from the listings. */
export function LeagueFields({
  entry,
  changes,
  onChange,
}: {
  entry: Entry;
  changes: Changes;
  onChange(next: Changes): void;
}) {
  const { definition, sports, subject } = entry;
  const [, series = '', prefix = ''] = subject.split(':');
  if (!definition) return null;
  if (definition.extends) {
    return (
      <p>
        It adds the series{' '}
        <code>
          <UntrustedText text={series} max={60} />
        </code>{' '}
        of venue_a and the prefix{' '}
        <code>
          <UntrustedText text={prefix} max={60} />
        </code>{' '}
        of venue_b to the registered competition{' '}
        <strong>
          <UntrustedText text={definition.extends} max={60} />
        </strong>
        .
      </p>
    );
  }
  const sport = changes.sport ?? definition.sport ?? '';
  const known = sports ?? [];
  const options = sport === '' || known.includes(sport) ? known : [sport, ...known];
  return (
    <>
      <p class="muted small">
        It adds a league: the series{' '}
        <code>
          <UntrustedText text={series} max={60} />
        </code>{' '}
        of venue_a and the prefix{' '}
        <code>
          <UntrustedText text={prefix} max={60} />
        </code>{' '}
        of venue_b, games with {definition.ways} outcomes.
      </p>
      <div class="review-fields">
        <label class="field">
          <span>Name of the league</span>
          <input
            class="input"
            name="league"
            maxLength={MAX_NAME}
            required
            value={changes.name ?? definition.name}
            onInput={(event) => onChange({ ...changes, name: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Sport</span>
          <select
            class="input"
            name="sport"
            value={sport}
            onChange={(event) => onChange({ ...changes, sport: event.currentTarget.value })}
          >
            {sport === '' && <option value="">Choose a sport</option>}
            {options.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
      </div>
    </>
  );
}
