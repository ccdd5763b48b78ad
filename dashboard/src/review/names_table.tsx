import { count, percent } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { ScrollTable } from '../components/scroll_table.tsx';
import { type Entry, isMetName, type MetName, type ProposedName } from './review.ts';
import { UntrustedText } from './untrusted_text.tsx';

/** The names that met, or the names that are proposed for a participant. */
export function NamesTable({ entry }: { entry: Entry }) {
  const met = entry.names.filter(isMetName);
  return (
    <section class="card" aria-labelledby="review-names">
      <div class="card-head">
        <h3 id="review-names">Names</h3>
        {met.length > 0 && <span class="muted small">The name of a team on each venue, from games that met</span>}
      </div>
      <ScrollTable label="Names" kind="review-names">
        {met.length > 0 ? <MetNames names={met} /> : <ProposedNames entry={entry} />}
      </ScrollTable>
    </section>
  );
}

function MetNames({ names }: { names: readonly MetName[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          {(['venue_a', 'venue_b'] as const).map((venue) => (
            <th key={venue} scope="col">
              <span class={`swatch ${venue}`} aria-hidden="true" /> {venue}
            </th>
          ))}
          <th scope="col" class="number">
            Games
          </th>
          <th scope="col" class="number">
            Similarity
          </th>
          <th scope="col">Evidence</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={`${name.key_a} ${name.key_b}`}>
            <th scope="row">
              <UntrustedText text={name.name_a} max={80} />
            </th>
            <td>{name.name_b === null ? 'not read' : <UntrustedText text={name.name_b} max={80} />}</td>
            <td class="number">{count(name.games)}</td>
            <td class="number">{percent(name.similarity)}</td>
            <td>
              {name.state === 'agrees' ? (
                <span class="state is-up">
                  <Icon name="check" />
                  Agrees
                </span>
              ) : (
                <span class="state is-down" title="It met two names of the other venue.">
                  <Icon name="warning" />
                  Contradictory
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const sources: Record<string, string> = {
  review: 'Entered by an operator',
  venue_a_series: 'A series of venue_a',
  venue_a_targets: 'The teams of venue_a',
  venue_b_teams: 'The teams of venue_b',
  venue_b_tags: 'The tags of venue_b',
  agreement: 'Games that both venues list',
};

function ProposedNames({ entry: { names, sentences } }: { entry: Entry }) {
  const proposed = names.filter((name): name is ProposedName => !isMetName(name));
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Source</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {proposed.map(({ alias_id, name, source, state, code }) => (
          <tr key={alias_id}>
            <th scope="row">
              <UntrustedText text={name} max={80} />
            </th>
            <td>{sources[source] ?? source}</td>
            <td>
              {state}
              {code && (
                <p class="small is-down">
                  {sentences[code] ?? code} <code>{code}</code>
                </p>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
