import { count, exactDollars, NO_VALUE, percent } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import { monthName, outcomes } from './outcomes.ts';
import { type CompetitionTally, familyName, lifeTime, type Month, profit, promisedShare } from './track_record.ts';

/** The columns of the table, each with its meaning in one sentence. */
export const columns = [
  ['Shown', 'Opportunities that the stream published or that GET /v2/arbitrage returned.'],
  ['Settled', 'Those of which both venues have paid every contract.'],
  [
    'As promised',
    'Settled ones that paid at least $1 for each contract of a leg, at the size and price of their first publication.',
  ],
  ['Paid less', 'Settled ones that paid less than that, losses included.'],
  ['Lost', 'Those that paid less than they cost with fees.'],
  ['Worst case', 'The lowest result of one settled opportunity: what it paid minus what it cost.'],
  ['Median life', 'Half of the opportunities that have closed were open for less than this time.'],
  ['Paid of promised', 'All that the settled ones paid, as a share of all that they promised.'],
] as const;

export function CompetitionTable({ rows }: { rows: readonly CompetitionTally[] }) {
  return (
    <ScrollTable kind="tallies" label="The track record by market type and competition">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Market type</th>
            <th scope="col">Competition</th>
            {columns.map(([name]) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <CompetitionRow key={`${row.family} ${row.competition}`} row={row} />
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}

function CompetitionRow({ row }: { row: CompetitionTally }) {
  return (
    <tr>
      <th scope="row">{familyName(row.family)}</th>
      <td>{row.competition ?? <span class="muted">–</span>}</td>
      <td class="number">{count(row.shown)}</td>
      <td class="number">{count(row.settled)}</td>
      <td class="number">
        {count(row.paid_as_promised)} <span class="muted">{row.settled > 0 && `(${promisedShare(row)})`}</span>
      </td>
      <td class="number">{count(row.paid_less)}</td>
      <td class={`number ${row.lost > 0 ? 'is-down' : ''}`}>{count(row.lost)}</td>
      <td class={`number ${(row.worst_case_usd ?? 0) < 0 ? 'is-down' : ''}`} title={exactDollars(row.worst_case_usd)}>
        {profit(row.worst_case_usd)}
      </td>
      <td class="number">{lifeTime(row.median_life_s)}</td>
      <td class="number" title={`${exactDollars(row.paid_usd)} of ${exactDollars(row.promised_usd)}`}>
        {row.promised_usd === 0 ? NO_VALUE : percent(row.paid_usd / row.promised_usd)}
      </td>
    </tr>
  );
}

/** The chart as a table, newest month first. */
export function MonthTable({ months }: { months: readonly Month[] }) {
  return (
    <ScrollTable kind="tallies" label="The track record by month">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col" class="number">
              Shown
            </th>
            {outcomes.map(({ key, label }) => (
              <th key={key} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...months].reverse().map((month) => (
            <tr key={month.month}>
              <th scope="row">
                {monthName(month.month)} {month.month.slice(0, 4)}
              </th>
              <td class="number">{count(month.shown)}</td>
              {outcomes.map(({ key }) => (
                <td key={key} class="number">
                  {count(month[key])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}
