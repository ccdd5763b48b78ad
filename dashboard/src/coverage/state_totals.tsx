import type { ComponentChildren } from 'preact';
import { Ago } from '../components/ago.tsx';
import { count } from '../components/format.ts';
import { type Coverage, eventsIn, shareText, states, totalsOf } from './coverage.ts';
import { StateBar } from './state_bar.tsx';
import { eventsOf } from './weeks.ts';

/** How many events there are in each state, with the meaning of the state. */
export function StateTotals({ coverage }: { coverage: Coverage }) {
  const { as_of, events_by_series, events_by_series_count, events_by_week } = coverage;
  const totals = totalsOf(events_by_series);
  const isCut = events_by_series_count > events_by_series.length;
  const all = events_by_week.reduce((sum, cell) => sum + eventsOf(cell), 0);
  return (
    <section class="card" aria-labelledby="states">
      <div class="card-head">
        <h2 id="states">Events by state</h2>
        <p class="muted small">
          Counted <Ago at={as_of} />
        </p>
      </div>
      <div class="card-body">
        <dl class="state-totals">
          <Figure name="Events" value={count(totals.events)}>
            Listed by the two venues, in {count(events_by_series.length)} series and tags.
          </Figure>
          {states.map(({ state, name, meaning }) => {
            const many = eventsIn(totals, state);
            return (
              <Figure key={state} state={state} name={name} value={count(many)} share={shareText(many, totals.events)}>
                {state === 'candidate' && many > 0
                  ? `${meaning} ${count(totals.waiting)} of them ${totals.waiting === 1 ? 'waits' : 'wait'} for a review.`
                  : meaning}
              </Figure>
            );
          })}
        </dl>
        <StateBar counts={totals} />
        {isCut && (
          <p class="muted small">
            These totals are of the {count(events_by_series.length)} series and tags below: {count(totals.events)} of{' '}
            {count(all)} events.
          </p>
        )}
      </div>
    </section>
  );
}

type FigureProps = { name: string; value: string; state?: string; share?: string; children: ComponentChildren };

function Figure({ name, value, state, share, children }: FigureProps) {
  return (
    <div>
      <dt>
        {state && <span class={`state-part is-key ${state}`} aria-hidden="true" />}
        {name}
      </dt>
      <dd class="state-total">
        <span class="value">{value}</span>
        {share && <span class="muted">{share}</span>}
      </dd>
      <dd class="muted small">{children}</dd>
    </div>
  );
}
