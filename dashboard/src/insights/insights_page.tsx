import { Ago } from '../components/ago.tsx';
import { OldData } from '../components/old_data.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { useRpc } from '../session/use_rpc.ts';
import { RecordCard } from '../track_record/record_card.tsx';
import { CoverageCard } from './coverage_card.tsx';
import { DelayCard } from './delay_card.tsx';
import { HoursCard } from './hours_card.tsx';
import type { Insights } from './insights.ts';
import { LivesCard } from './lives_card.tsx';
import { RulesCard } from './rules_card.tsx';
import './insights.css';

const POLL_INTERVAL_MS = 60_000;

/** Answers: how long do opportunities live, when do they open, and how good are the sources? */
export function InsightsPage() {
  const { call } = useRpc();
  const reading = useQuery(() => call<Insights>('read_insights'), [], POLL_INTERVAL_MS);
  const { value, error, refetch } = reading;
  return (
    <div class="insights">
      <PageHead title="Insights">
        How long opportunities live and when they open, over the last seven days, and how good the sources are.
        {value?.as_of && (
          <>
            {' '}
            Read <Ago at={value.as_of} /> in market time.
          </>
        )}
      </PageHead>
      <div class="last-read">
        <OldData reading={reading} />
      </div>
      <div class="insight-cards">
        {value ? (
          <>
            <LivesCard opportunities={value.opportunities} />
            <DelayCard delays={value.feed_delays} />
            <HoursCard counts={value.hours} />
          </>
        ) : error ? (
          <section class="card is-wide" aria-label="Not loaded">
            <Problem error={error} onRetry={() => void refetch()} />
          </section>
        ) : (
          <>
            <div class="card wait chart-wait" aria-busy="true" />
            <div class="card wait chart-wait" aria-busy="true" />
            <div class="card wait hours-wait is-wide" aria-busy="true" />
          </>
        )}
        <RulesCard />
        <RecordCard />
        <CoverageCard />
      </div>
    </div>
  );
}
