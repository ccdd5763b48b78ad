import { EmptyState } from '../components/empty_state.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { StateTotals } from '../coverage/state_totals.tsx';
import { useRpc } from '../session/use_rpc.ts';
import '../coverage/coverage.css';

const POLL_INTERVAL_MS = 5 * 60_000;

/** The states of all listed events, with a link to the page Coverage. */
export function CoverageCard() {
  const { call } = useRpc();
  const { value, error, refetch } = useQuery(() => call<Coverage>('read_coverage'), [], POLL_INTERVAL_MS);
  if (value && value.as_of !== null) {
    return (
      <div class="coverage is-wide">
        <StateTotals coverage={value} />
        <p class="more">
          <a href="/coverage">Coverage by series and week</a>
        </p>
      </div>
    );
  }
  return (
    <section class="card is-wide" aria-label="Coverage">
      {value ? (
        <EmptyState icon="coverage" title="No census yet">
          The first census is taken soon after every listing of both venues was read.
        </EmptyState>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="wait hours-wait" aria-busy="true" />
      )}
    </section>
  );
}
