import { useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { countedReasons } from './closed_reasons.ts';
import { ClosedTable } from './closed_table.tsx';
import type { ClosedOpportunities } from './frames.ts';
import type { MarketClock } from './market_clock.ts';
import type { MarketQueries } from './market_queries.ts';
import { MarketAgo } from './market_times.tsx';
import { reasonText } from './reason_text.ts';

/** The list is delayed by two minutes, so frequent polls would not help. */
const EVERY_MS = 30_000;
const INITIAL_ROWS = 10;

/** The opportunities that closed on this UTC day, and why. */
export function ClosedToday({ ask, clock }: { ask: MarketQueries; clock: MarketClock }) {
  const { value, error, refetch } = useQuery(() => ask.closed(), [ask], EVERY_MS);
  if (!value) return error ? <Problem error={error} onRetry={() => void refetch()} /> : null;
  return (
    <section class="card closed-today" aria-labelledby="closed-today">
      <div class="card-head">
        <h2 id="closed-today">Closed today</h2>
        <p class="muted small">
          In all markets since midnight UTC, as of <MarketAgo at={value.snapshot_at} clock={clock} />.
        </p>
      </div>
      {value.opportunities.length === 0 ? (
        <EmptyState icon="opportunities" title="No opportunity has closed today">
          Opportunities that close appear here about {value.delay_seconds} seconds later, with the reason.
        </EmptyState>
      ) : (
        <ClosedList closed={value} />
      )}
    </section>
  );
}

function ClosedList({ closed }: { closed: ClosedOpportunities }) {
  const [all, setAll] = useState(false);
  const { opportunities, has_more, count } = closed;
  return (
    <>
      <ul class="reasons small">
        {countedReasons(opportunities).map(([reason, times]) => (
          <li key={reason}>
            <strong>{times}</strong> {reasonText(reason)}
          </li>
        ))}
      </ul>
      <ClosedTable
        rows={all ? opportunities : opportunities.slice(0, INITIAL_ROWS)}
        label="Opportunities that closed today, the last first"
        titles
      />
      {count > INITIAL_ROWS && (
        <p class="more-closed">
          <button type="button" class="button little" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${count}`}
          </button>
          {has_more && <span class="muted small"> The newest {count}. GET /v2/arbitrage/history has all.</span>}
        </p>
      )}
    </>
  );
}
