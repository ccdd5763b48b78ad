import { EmptyState } from '../components/empty_state.tsx';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { readPublic } from '../public_api.ts';
import { sourceTexts } from './source_texts.ts';
import './record_card.css';
import { lifeTime, profit, promisedShare, type TrackRecord } from './track_record.ts';

const POLL_INTERVAL_MS = 60_000;

/** The public track record in four figures. */
export function RecordCard() {
  const { value, error, refetch } = useQuery(() => readPublic<TrackRecord>('/v2/track-record'), [], POLL_INTERVAL_MS);
  return (
    <section class="card record-card" aria-labelledby="record">
      <div class="card-head">
        <h2 id="record">Track record</h2>
        <a href="/track-record">All figures</a>
      </div>
      {value ? (
        <Figures record={value} />
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="wait record-wait" aria-busy="true" />
      )}
    </section>
  );
}

function Figures({ record: { source, totals } }: { record: TrackRecord }) {
  if (totals.shown === 0) {
    return (
      <EmptyState icon="track_record" title="No opportunity yet">
        No opportunity has been published so far. Each one enters the record at the moment it is published.
      </EmptyState>
    );
  }
  return (
    <>
      {(source === 'simulated' || source === 'replay') && (
        <p class="source-note" role="note">
          <Icon name="warning" />
          {sourceTexts[source]}
        </p>
      )}
      <dl class="card-body record-figures">
        <div>
          <dt>Published</dt>
          <dd>{count(totals.shown)}</dd>
        </div>
        <div>
          <dt>Paid as promised</dt>
          <dd>
            {promisedShare(totals)} <small>of {count(totals.settled)} settled</small>
          </dd>
        </div>
        <div>
          <dt>Worst case</dt>
          <dd class={(totals.worst_case_usd ?? 0) < 0 ? 'is-down' : ''}>{profit(totals.worst_case_usd)}</dd>
        </div>
        <div>
          <dt>Median life time</dt>
          <dd>{lifeTime(totals.median_life_s)}</dd>
        </div>
      </dl>
    </>
  );
}
