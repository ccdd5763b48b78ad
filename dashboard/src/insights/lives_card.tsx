import { EmptyState } from '../components/empty_state.tsx';
import { count, duration, percent } from '../components/format.ts';
import { className, type Insights } from './insights.ts';

/** The life times of closed opportunities as bars. */
export function LivesCard({ opportunities: { closed, median_s, p90_s, lives } }: Pick<Insights, 'opportunities'>) {
  const most = Math.max(1, ...lives.map((one) => one.closed));
  return (
    <section class="card" aria-labelledby="lives">
      <div class="card-head">
        <h2 id="lives">Life time of opportunities</h2>
        <p class="muted small">
          {count(closed)} closed in 7 days{median_s !== null && `, half within ${lifeText(median_s)}`}
          {p90_s !== null && `, 90 % within ${lifeText(p90_s)}`}
        </p>
      </div>
      {closed === 0 ? (
        <EmptyState icon="opportunities" title="No opportunity closed in 7 days">
          Each one is counted here from the moment it closes.
        </EmptyState>
      ) : (
        <table class="card-body lives">
          <caption class="visually-hidden">Closed opportunities by life time</caption>
          <tbody>
            {lives.map((one, at) => (
              <tr key={one.up_to_s}>
                <th scope="row">{className(one, lives[at - 1])}</th>
                <td>
                  {one.closed > 0 && (
                    <span class="life-bar" aria-hidden="true" style={{ width: `${(one.closed / most) * 100}%` }} />
                  )}
                </td>
                <td class="number">
                  {count(one.closed)} <span class="muted">{percent(one.closed / closed)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

const lifeText = (seconds: number): string => (seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds * 1000));
