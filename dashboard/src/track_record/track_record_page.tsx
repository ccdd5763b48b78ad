import { Ago } from '../components/ago.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { count, day } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { readPublic } from '../public_api.ts';
import { MonthChart } from './month_chart.tsx';
import { sourceTexts } from './source_texts.ts';
import { CompetitionTable, columns, MonthTable } from './tally_tables.tsx';
import { Totals } from './totals.tsx';
import { monthsOf, type TrackRecord } from './track_record.ts';
import './track_record.css';

/** The database renews the record each minute. */
const POLL_INTERVAL_MS = 60_000;

/** Answers: what did the opportunities of this service pay in the end? */
export function TrackRecordPage() {
  const { value, error, refetch } = useQuery(() => readPublic<TrackRecord>('/v2/track-record'), [], POLL_INTERVAL_MS);
  return (
    <div class="track-record">
      <PageHead title="Track record">
        What did the opportunities of this service pay once both venues had settled? Every one that was shown counts, at
        the size and price of its first publication.
      </PageHead>
      {value ? (
        <>
          {error && (
            <p class="problem" role="status">
              {error.message} The figures are those of the last successful read.
            </p>
          )}
          <Loaded record={value} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="stack" aria-busy="true">
          <div class="card wait totals-wait" />
          <div class="card wait chart-wait" />
        </div>
      )}
    </div>
  );
}

function Loaded({ record }: { record: TrackRecord }) {
  const { source, totals } = record;
  return (
    <div class="stack">
      {(source === 'simulated' || source === 'replay') && (
        <p class="source-note" role="note">
          <Icon name="warning" />
          {sourceTexts[source]}
        </p>
      )}
      <Totals totals={totals} />
      {totals.settled === 0 ? <NothingSettled shown={totals.shown} /> : <Settled record={record} />}
      <Definitions />
    </div>
  );
}

function NothingSettled({ shown }: { shown: number }) {
  return (
    <section class="card" aria-label="No result yet">
      <EmptyState icon="track_record" title="No shown opportunity has settled yet">
        {shown === 0
          ? 'No opportunity has been shown so far. Each one enters this record at the moment it is published.'
          : `${count(shown)} ${shown === 1 ? 'has' : 'have'} been shown. Each one is counted here as soon as both venues have paid its contracts.`}
      </EmptyState>
    </section>
  );
}

function Settled({ record }: { record: TrackRecord }) {
  const months = monthsOf(record.records);
  return (
    <>
      <section class="card" aria-labelledby="months">
        <div class="card-head">
          <h2 id="months">By month of opening</h2>
          <p class="muted small">
            {record.since && `Since ${day(record.since)}. `}
            {record.updated_at && (
              <>
                Last change <Ago at={record.updated_at} />.
              </>
            )}
          </p>
        </div>
        <div class="card-body">
          <MonthChart months={months} />
          <details class="as-table">
            <summary>As a table</summary>
            <MonthTable months={months} />
          </details>
        </div>
      </section>
      <section class="card" aria-labelledby="competitions">
        <div class="card-head">
          <h2 id="competitions">By market type and competition</h2>
          <a href="/docs/rest/">GET /v2/track-record</a>
        </div>
        <CompetitionTable rows={record.competitions} />
        {record.truncated && (
          <p class="card-body muted small">These are the first 1,000 rows. The totals above include all of them.</p>
        )}
      </section>
    </>
  );
}

/** The meaning of each column in one sentence. */
function Definitions() {
  return (
    <section class="card" aria-labelledby="columns">
      <div class="card-head">
        <h2 id="columns">What is counted</h2>
      </div>
      <dl class="card-body definitions">
        {columns.map(([name, meaning]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        <div>
          <dt>Voids and divergences</dt>
          <dd>
            They count as they were paid: a fair price, 50-50, or two venues that paid differently. Nothing is left out,
            also when the pair was withdrawn later.
          </dd>
        </div>
      </dl>
    </section>
  );
}
