import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ScrollTable } from '../components/scroll_table.tsx';
import './heat_map.css';
import { type CategoryWeek, type Coverage, categoryName, sharePercent } from './coverage.ts';
import { WeekTable } from './week_table.tsx';
import {
  cellText,
  columnKey,
  columnText,
  columnTitle,
  eventsOf,
  heatMapOf,
  monthsAbove,
  type WeekColumn,
} from './weeks.ts';

/** The share of paired events by category and week of the start. */
export function HeatMapCard({ coverage }: { coverage: Coverage }) {
  const map = useMemo(() => heatMapOf(coverage.events_by_week, coverage.as_of), [coverage]);
  const { table, text } = useCellText();
  return (
    <section class="card" aria-labelledby="by-week">
      <div class="card-head">
        <h2 id="by-week">Paired events by category and week</h2>
        <Legend />
      </div>
      <div class="card-body">
        <p class="muted small">
          The number is the share of events with a published pair, in percent. A column is the week in which the event
          starts, by its Monday in UTC.
        </p>
        <ScrollTable kind="heat" label="Share of paired events by category and week, in percent">
          <table ref={table} style={{ '--columns': map.columns.length }}>
            <HeatHead columns={map.columns} current={map.current} />
            <tbody>
              {map.rows.map(({ category, cells }) => (
                <tr key={category}>
                  <th scope="row">{categoryName(category)}</th>
                  {map.columns.map((column, at) => (
                    <HeatCell key={columnKey(column)} cell={cells[at]} column={column} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollTable>
        <p class="heat-shown small" aria-live="polite">
          {text ?? <span class="muted">Point at a cell or tap it for its counts.</span>}
        </p>
        <WeekTable map={map} />
      </div>
    </section>
  );
}

/** The text of the cell at the pointer. One listener for all cells of the table. */
function useCellText() {
  const table = useRef<HTMLTableElement>(null);
  const [text, setText] = useState<string>();
  useLayoutEffect(() => scrollToCurrentWeek(table.current), []);
  useEffect(() => {
    const show = ({ target }: Event) => {
      const cell = target instanceof Element ? target.closest('td') : null;
      if (cell?.title) setText(cell.title);
    };
    const element = table.current;
    element?.addEventListener('pointerover', show);
    element?.addEventListener('click', show);
    return () => {
      element?.removeEventListener('pointerover', show);
      element?.removeEventListener('click', show);
    };
  }, []);
  return { table, text };
}

/** In a map wider than the page, scrolls to the week of the census and the two before it. */
function scrollToCurrentWeek(table: HTMLTableElement | null): void {
  const week = table?.querySelector<HTMLElement>('.is-current');
  const name = table?.querySelector<HTMLElement>('tbody th');
  if (!table?.parentElement || !week || !name) return;
  const gap = 2;
  table.parentElement.scrollLeft = week.offsetLeft - 2 * (week.offsetWidth + gap) - name.offsetWidth - gap;
}

function HeatHead({ columns, current }: { columns: readonly WeekColumn[]; current: number | null }) {
  const isCurrent = (column: WeekColumn) => columnKey(column) === current;
  return (
    <thead>
      <tr>
        <td />
        {monthsAbove(columns).map(({ key, month, year, span }) =>
          month === '' ? (
            <td key={key} colSpan={span} />
          ) : (
            <th key={key} class="month" scope="colgroup" colSpan={span}>
              {span > 1 ? `${month} ${year}` : month}
            </th>
          ),
        )}
      </tr>
      <tr>
        <th scope="col">Category</th>
        {columns.map((column) => (
          <th
            key={columnKey(column)}
            scope="col"
            class={isCurrent(column) ? 'week is-current' : 'week'}
            aria-label={isCurrent(column) ? `${columnText(column)}, this week` : columnText(column)}
            title={isCurrent(column) ? `${columnText(column)}: the week of the census` : columnText(column)}
          >
            {columnTitle(column)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function HeatCell({ cell, column }: { cell: CategoryWeek | undefined; column: WeekColumn }) {
  const events = cell ? eventsOf(cell) : 0;
  if (!cell || events === 0) return <td class="no-events" />;
  return (
    <td class={levelOf(cell.paired, events)} title={cellText(cell, column)}>
      {sharePercent(cell.paired, events)}
    </td>
  );
}

/** The bounds of the colours, in percent. 0 and 100 have a colour of their own. */
const levels = [
  ['level-0', '0'],
  ['level-1', '1–24'],
  ['level-2', '25–49'],
  ['level-3', '50–74'],
  ['level-4', '75–99'],
  ['level-5', '100'],
] as const;

function levelOf(paired: number, events: number): string {
  if (paired === 0) return 'level-0';
  return paired === events ? 'level-5' : `level-${1 + Math.floor((paired * 4) / events)}`;
}

function Legend() {
  return (
    <ul class="heat-legend" aria-label="Colours of the share in percent">
      {levels.map(([level, text]) => (
        <li key={level} class={level}>
          {text}
        </li>
      ))}
      <li class="unit">% paired</li>
    </ul>
  );
}
