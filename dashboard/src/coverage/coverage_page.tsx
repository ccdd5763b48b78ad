import { useMemo } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { useRpc } from '../session/use_rpc.ts';
import './coverage.css';
import type { Coverage } from './coverage.ts';
import { HeatMapCard } from './heat_map.tsx';
import { SeriesCard } from './series_card.tsx';
import { StateTotals } from './state_totals.tsx';

/** The census is taken each hour. */
const POLL_INTERVAL_MS = 5 * 60_000;

/** Answers: which listed events are paired, and why are the others not? */
export function CoveragePage() {
  const { call } = useRpc();
  const { value, error, refetch } = useQuery(() => call<Coverage>('read_coverage'), [], POLL_INTERVAL_MS);
  return (
    <div class="coverage">
      <PageHead title="Coverage">
        Which events of the two venues are paired, and why are the others not? An hourly census counts every listed
        event once, in exactly one state.
      </PageHead>
      {value ? (
        <>
          {error && (
            <p class="problem last-read" role="status">
              {error.message} The figures below are from the last successful read.
            </p>
          )}
          <Loaded coverage={value} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="stack" aria-busy="true">
          <div class="card wait totals-wait" />
          <div class="card wait map-wait" />
        </div>
      )}
    </div>
  );
}

function Loaded({ coverage }: { coverage: Coverage }) {
  // The filters of the table change the address often. The totals and the map stay as they are.
  const above = useMemo(
    () => (
      <>
        <StateTotals coverage={coverage} />
        <HeatMapCard coverage={coverage} />
      </>
    ),
    [coverage],
  );
  if (coverage.as_of === null) {
    return (
      <section class="card" aria-label="No census">
        <EmptyState icon="coverage" title="No census yet">
          The first census is taken within a minute after every listing of both venues was read and the first match pass
          has ended. A new one follows each hour.
        </EmptyState>
      </section>
    );
  }
  if (coverage.events_by_series.length === 0) {
    return (
      <section class="card" aria-label="No event">
        <EmptyState icon="coverage" title="No listed event">
          Neither venue listed an event at the last census, <Ago at={coverage.as_of} />.
        </EmptyState>
      </section>
    );
  }
  return (
    <div class="stack">
      {above}
      <SeriesCard coverage={coverage} />
    </div>
  );
}
