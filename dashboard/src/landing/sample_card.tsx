import { Ago } from '../components/ago.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { count, duration } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import { ScrollTable } from '../components/scroll_table.tsx';
import { useQuery } from '../components/use_query.ts';
import { AskPrice, SpreadCell } from '../live/ask_prices.tsx';
import { readPublic } from '../public_api.ts';
import { type Sample, widestOf, widestOutcome } from './sample.ts';

/** One step of the REST snapshot. */
const POLL_INTERVAL_MS = 5_000;

/** The markets of the public sample with the widest gaps, as they are now. */
export function SampleCard() {
  const { value, error, refetch } = useQuery(() => readPublic<Sample>('/v2/sample'), [], POLL_INTERVAL_MS);
  return (
    <section class="card sample" aria-labelledby="sample">
      <div class="card-head">
        <h2 id="sample">From the catalog now</h2>
        {value && <p class="muted small">{caption(value)}</p>}
      </div>
      {value ? (
        <>
          {error && (
            <p class="problem sample-note" role="status">
              {error.message} These prices are old: they were read <Ago at={value.snapshot_at} />.
            </p>
          )}
          <Rows sample={value} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="wait sample-wait" aria-busy="true" />
      )}
    </section>
  );
}

function caption({ count: markets, delay_seconds }: Sample): string {
  const delay = delay_seconds > 0 ? `, ${duration(delay_seconds * 1000)} delayed` : '';
  return `The widest gaps of ${count(markets)} public ${markets === 1 ? 'market' : 'markets'}${delay}`;
}

function Rows({ sample }: { sample: Sample }) {
  const rows = widestOf(sample);
  if (rows.length === 0) {
    return (
      <EmptyState icon="markets" title={sample.count === 0 ? 'No public market now' : 'No price on both venues now'}>
        {sample.count === 0
          ? 'The public sample is empty: no open market of the catalog is in it. It is read again every five seconds.'
          : `None of the ${count(sample.count)} public markets has an ask on both venues.`}
      </EmptyState>
    );
  }
  return (
    <ScrollTable label="Markets of the public sample">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Market</th>
            <th scope="col" class="number">
              venue_a
            </th>
            <th scope="col" class="number">
              venue_b
            </th>
            <th scope="col" class="number">
              Gap, points
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((market) => {
            const outcome = widestOutcome(market);
            return (
              <tr key={market.id}>
                <th scope="row">
                  <a href={`/market?id=${encodeURIComponent(market.id)}`}>{market.title}</a>
                  {outcome && <span class="muted small outcome-name">{outcome.name}</span>}
                </th>
                {(['venue_a', 'venue_b'] as const).map((venue) => (
                  <td key={venue} class="number">
                    <AskPrice venue={venue} ask={outcome?.[venue] ?? null} best={outcome?.cheaper === venue} />
                  </td>
                ))}
                <td class="number">
                  <SpreadCell points={market.spread_pts} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollTable>
  );
}
