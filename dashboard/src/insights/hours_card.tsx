import { EmptyState } from '../components/empty_state.tsx';
import { count } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import { type HourCount, leaguesOf } from './insights.ts';

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const two = (hour: number): string => String(hour).padStart(2, '0');

/** A heat map: how many opportunities opened in which hour of the day, by league. */
export function HoursCard({ counts }: { counts: readonly HourCount[] }) {
  const leagues = leaguesOf(counts);
  const most = Math.max(1, ...leagues.flatMap((row) => row.hours));
  return (
    <section class="card is-wide" aria-labelledby="hours">
      <div class="card-head">
        <h2 id="hours">Opportunities by hour and league</h2>
        <p class="muted small">Opened in each hour of the day (UTC), of those that closed in 7 days</p>
      </div>
      {leagues.length === 0 ? (
        <EmptyState icon="opportunities" title="No opportunity closed in 7 days">
          The map begins with the first one.
        </EmptyState>
      ) : (
        <ScrollTable label="Opportunities by hour and league" kind="hours">
          <table>
            <thead>
              <tr>
                <th scope="col">League</th>
                {hours.map((hour) => (
                  <th key={hour} scope="col">
                    {two(hour)}
                  </th>
                ))}
                <th scope="col">Sum</th>
              </tr>
            </thead>
            <tbody>
              {leagues.map(({ league, hours: opened, sum }) => (
                <tr key={league}>
                  <th scope="row" title={league}>
                    {league}
                  </th>
                  {opened.map((many, hour) => (
                    <td
                      key={hour}
                      title={`${league}, ${two(hour)}:00 to ${two((hour + 1) % 24)}:00 UTC: ${count(many)}`}
                      style={{ '--share': many === 0 ? 0 : 0.15 + 0.85 * (many / most) }}
                    >
                      {many === 0 ? <span class="muted">·</span> : count(many)}
                    </td>
                  ))}
                  <td class="sum">{count(sum)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollTable>
      )}
    </section>
  );
}
