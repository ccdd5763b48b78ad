import { count, day, instant } from '../components/format.ts';
import { type CategoryWeek, categoryName, shareText } from './coverage.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The census names 36 weeks. A faulty response must not draw thousands of columns. */
const MAX_WEEKS = 60;

/** Monday 00:00 UTC of the week of a time. */
function weekStartOf(time: number): number {
  const date = new Date(time);
  const fromMonday = (date.getUTCDay() + 6) % 7;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - fromMonday);
}

/** The Monday of an ISO week such as `2026-W47`, in epoch ms. Null for another text. */
export function mondayOf(week: string | null): number | null {
  const [, year, number] = /^(\d{4})-W(\d\d)$/.exec(week ?? '') ?? [];
  if (year === undefined || number === undefined) return null;
  // 4 January is always in week 1.
  return weekStartOf(Date.UTC(Number(year), 0, 4)) + (Number(number) - 1) * WEEK_MS;
}

/** A week, or the events before the first week, after the last one, or without a start. */
export type WeekColumn = { monday: number } | { rest: 'earlier' | 'later' | 'none' };

export type HeatRow = { category: string | null; events: number; cells: (CategoryWeek | undefined)[] };

export type HeatMap = {
  columns: WeekColumn[];
  rows: HeatRow[];
  /** The Monday of the week of the census. */
  current: number | null;
};

export const eventsOf = ({ paired, candidate, other }: CategoryWeek): number => paired + candidate + other;

/** The key of the column of these events; a time for a week. */
const keyOf = (week: string | null): number | string => mondayOf(week) ?? week ?? 'none';

export const columnKey = (column: WeekColumn): number | string => ('monday' in column ? column.monday : column.rest);

function columnsOf(weeks: readonly CategoryWeek[]): WeekColumn[] {
  const keys = new Set(weeks.map(({ week }) => keyOf(week)));
  const mondays = [...keys].filter((key) => typeof key === 'number').sort((one, other) => one - other);
  const first = mondays[0];
  const between = first === undefined ? 0 : Math.round(((mondays.at(-1) ?? first) - first) / WEEK_MS) + 1;
  const rest = (key: 'earlier' | 'later' | 'none') => (keys.has(key) ? [{ rest: key }] : []);
  return [
    ...rest('earlier'),
    ...Array.from({ length: Math.min(between, MAX_WEEKS) }, (_, at) => ({ monday: (first ?? 0) + at * WEEK_MS })),
    ...rest('later'),
    ...rest('none'),
  ];
}

/** The events by category and week, without a gap between weeks, the largest category first. */
export function heatMapOf(weeks: readonly CategoryWeek[], asOf: string | null): HeatMap {
  const columns = columnsOf(weeks);
  const byCategory = new Map<string | null, CategoryWeek[]>();
  for (const cell of weeks) {
    const cells = byCategory.get(cell.category);
    if (cells) cells.push(cell);
    else byCategory.set(cell.category, [cell]);
  }
  const rows = [...byCategory].map(([category, cells]) => {
    const byColumn = new Map(cells.map((cell) => [keyOf(cell.week), cell]));
    return {
      category,
      events: cells.reduce((sum, cell) => sum + eventsOf(cell), 0),
      cells: columns.map((column) => byColumn.get(columnKey(column))),
    };
  });
  rows.sort((one, other) => other.events - one.events);
  return { columns, rows, current: asOf === null ? null : weekStartOf(instant(asOf)) };
}

const restTitles = { earlier: 'Earlier', later: 'Later', none: 'No start' } as const;
const restTexts = { earlier: 'earlier weeks', later: 'later weeks', none: 'without a start' } as const;

/** The day of the month on which the week begins. */
export const columnTitle = (column: WeekColumn): string =>
  'monday' in column ? String(new Date(column.monday).getUTCDate()) : restTitles[column.rest];

/** `week of 16 Nov 2026` */
export const columnText = (column: WeekColumn): string =>
  'monday' in column ? `week of ${day(column.monday)}` : restTexts[column.rest];

const monthName = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' });

type MonthGroup = { key: string; month: string; year: number; span: number };

/** The months above the columns, each with its number of columns. The rest has no month: ''. */
export function monthsAbove(columns: readonly WeekColumn[]): MonthGroup[] {
  const groups: MonthGroup[] = [];
  for (const column of columns) {
    const month = 'monday' in column ? monthName.format(column.monday) : '';
    const year = 'monday' in column ? new Date(column.monday).getUTCFullYear() : 0;
    const last = groups.at(-1);
    if (last && last.month === month && last.year === year) last.span++;
    else groups.push({ key: String(columnKey(column)), month, year, span: 1 });
  }
  return groups;
}

const counted = (many: number, noun: string): string => `${count(many)} ${noun}${many === 1 ? '' : 's'}`;

/** `Sports, week of 16 Nov 2026: 1 of 3 events paired (33 %), 1 candidate, 1 other` */
export function cellText(cell: CategoryWeek, column: WeekColumn): string {
  const { paired, candidate, other } = cell;
  const events = eventsOf(cell);
  return (
    `${categoryName(cell.category)}, ${columnText(column)}: ${count(paired)} of ${counted(events, 'event')} paired ` +
    `(${shareText(paired, events)}), ${counted(candidate, 'candidate')}, ${counted(other, 'other')}`
  );
}
