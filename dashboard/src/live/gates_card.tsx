import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';
import { type QueryState, useQuery } from '../components/use_query.ts';
import { afterGatesText } from './after_gates_text.ts';
import type { MarketExplanation } from './frames.ts';
import type { MarketClock } from './market_clock.ts';
import type { MarketQueries } from './market_queries.ts';
import { MarketAgo } from './market_times.tsx';
import { gateNames, reasonText } from './reason_text.ts';

/** The RPC reads the REST snapshot, which updates every five seconds. */
const POLL_INTERVAL_MS = 15_000;

/** Why a market is or is not an opportunity: its four gates and the rejections after them. */
export function GatesCard({ id, ask, clock }: { id: string; ask: MarketQueries; clock: MarketClock }) {
  const why = useQuery(() => ask.explain(id), [ask, id], POLL_INTERVAL_MS);
  if (why.value) return <Explanation explained={why.value} clock={clock} />;
  return why.error ? <Failed reading={why} /> : null;
}

function Failed({ reading }: { reading: QueryState<MarketExplanation> }) {
  return reading.error ? <Problem error={reading.error} onRetry={reading.refetch} /> : null;
}

function Explanation({
  explained: { gates, after, as_of },
  clock,
}: {
  explained: MarketExplanation;
  clock: MarketClock;
}) {
  const closed = gates.filter((gate) => !gate.open).length;
  return (
    <section class="card" aria-labelledby="gates">
      <div class="card-head">
        <h2 id="gates">{headingOf(closed, after.code)}</h2>
        <p class="muted small">
          {closed === 0 ? 'All four gates are open' : `${closed} of 4 gates ${closed === 1 ? 'is' : 'are'} closed`}, as
          of <MarketAgo at={as_of} clock={clock} />.
        </p>
      </div>
      <ul class="card-body gates">
        {gates.map((gate) => (
          <li key={gate.gate}>
            <span class={`state ${gate.open ? 'is-up' : 'is-down'}`}>
              <Icon name={gate.open ? 'check' : 'close'} />
              {gate.open ? 'Open' : 'Closed'}
            </span>
            <div>
              <h3>{gateNames[gate.gate]}</h3>
              {!gate.open && <p class="muted">{reasonText(gate.reason)}</p>}
            </div>
          </li>
        ))}
      </ul>
      <div class="card-body after-gates">
        {after.code !== null && <p>{afterGatesText(after.code)}</p>}
        {after.opportunity?.closed_at && (
          <p class="muted small">
            The last opportunity closed <MarketAgo at={after.opportunity.closed_at} clock={clock} />:{' '}
            {afterGatesText(after.opportunity.reason)}
          </p>
        )}
        {after.refused
          .filter((one) => !(one.is_current && one.reason === after.code))
          .map((one) => (
            <p key={`${one.stage} ${one.reason}`} class="muted small">
              Rejected <MarketAgo at={one.last_at} clock={clock} />: {afterGatesText(one.reason)}
            </p>
          ))}
      </div>
    </section>
  );
}

function headingOf(closed: number, code: string | null): string {
  if (closed > 0) return 'Why this is not an opportunity';
  return code === 'opportunity.open' ? 'Why this is an opportunity' : 'Why no opportunity was open';
}
