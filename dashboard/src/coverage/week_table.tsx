import { useState } from 'preact/hooks';
import { count } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import { categoryName, shareText } from './coverage.ts';
import { columnText, eventsOf, type HeatMap } from './weeks.ts';

const countTitles = ['Events', 'Paired', 'Share', 'Candidate', 'Other'] as const;

/** All counts of the map as a table, whose rows exist only when it is open. */
export function WeekTable({ map }: { map: HeatMap }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <ScrollTable kind="weeks" label="Events by category and week">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Category</th>
                <th scope="col">Start</th>
                {countTitles.map((title) => (
                  <th key={title} scope="col" class="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <WeekRows map={map} />
            </tbody>
          </table>
        </ScrollTable>
      )}
    </details>
  );
}

function WeekRows({ map: { columns, rows } }: { map: HeatMap }) {
  return rows.flatMap(({ category, cells }) =>
    columns.map((column, at) => {
      const cell = cells[at];
      if (!cell) return null;
      const events = eventsOf(cell);
      return (
        <tr key={`${category} ${columnText(column)}`}>
          <th scope="row">{categoryName(category)}</th>
          <td>{columnText(column)}</td>
          <td class="number">{count(events)}</td>
          <td class="number">{count(cell.paired)}</td>
          <td class="number">{shareText(cell.paired, events)}</td>
          <td class="number">{count(cell.candidate)}</td>
          <td class="number">{count(cell.other)}</td>
        </tr>
      );
    }),
  );
}
