import { EmptyState } from '../components/empty_state.tsx';
import { count, day as dayText } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import { ScrollTable } from '../components/scroll_table.tsx';
import { useQuery } from '../components/use_query.ts';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import { type KeyDay, type KeyDayTable, keyDayTable } from './key_days.ts';
import type { KeyRow } from './types.ts';
import './key_days.css';

const POLL_INTERVAL_MS = 30_000;

/** Answers: which key made how many requests on which day? */
export function KeyDaysCard() {
  const { organization } = useMember();
  const { rows } = useRpc();
  const org = organization.org_id;
  const { value, error, refetch } = useQuery(
    async () => {
      const [days, keys] = await Promise.all([
        rows<KeyDay>('my_key_days', { org, newestBy: ['day', 'key_id'] }),
        rows<KeyRow>('my_keys', { org, newestBy: ['created_at', 'key_id'] }),
      ]);
      return keyDayTable(days, keys, Date.now());
    },
    [org],
    POLL_INTERVAL_MS,
  );
  return (
    <section class="card key-days" aria-labelledby="key-days">
      <div class="card-head">
        <h2 id="key-days">Requests by day and key</h2>
        {value && <p class="muted small">{count(value.sum)} in the last 30 days, days in UTC</p>}
      </div>
      {value ? (
        value.rows.length === 0 ? (
          <EmptyState icon="usage" title="No request in the last 30 days">
            A request is counted here as soon as it is admitted, also when its answer carries no data.
          </EmptyState>
        ) : (
          <Days table={value} />
        )
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="wait key-days-wait" aria-busy="true" />
      )}
    </section>
  );
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const short = (value: number): string => (value < 1_000 ? String(value) : compact.format(value));

function Days({ table: { days, rows, totals } }: { table: KeyDayTable }) {
  const most = Math.max(1, ...rows.flatMap((row) => row.counts));
  const mostInTotal = Math.max(1, ...totals);
  return (
    <ScrollTable label="Requests by day and key">
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            {days.map((day, at) => (
              <th key={day} scope="col" title={`${dayText(day)}: ${count(totals[at] ?? 0)} requests`}>
                <span class="bar" aria-hidden="true">
                  <span style={{ height: `${((totals[at] ?? 0) / mostInTotal) * 100}%` }} />
                </span>
                <span class="visually-hidden">{dayText(day)}</span>
                <span aria-hidden="true">{Number(day.slice(8))}</span>
              </th>
            ))}
            <th scope="col">Sum</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row" title={row.note === '' ? undefined : `${row.note}…`}>
                {row.name}
              </th>
              {row.counts.map((requests, at) => (
                <td
                  key={days[at]}
                  title={`${row.name}, ${dayText(days[at] ?? '')}: ${count(requests)}`}
                  style={{ '--share': requests === 0 ? 0 : 0.15 + 0.85 * (requests / most) }}
                >
                  {requests === 0 ? <span class="muted">·</span> : short(requests)}
                </td>
              ))}
              <td class="sum" title={count(row.sum)}>
                {short(row.sum)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}
