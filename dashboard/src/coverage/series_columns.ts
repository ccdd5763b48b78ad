import type { Column } from '../components/grid.tsx';
import type { SeriesFilter, SortKey } from './series_order.ts';

/** The columns of the table. `kind` is the class of the title and of the cells. */
const columns = [
  { key: 'series', title: 'Series or tag', kind: 'series-cell' },
  { key: 'events', title: 'Events', kind: 'count-cell' },
  { key: 'paired', title: 'Paired', kind: 'count-cell' },
  { key: 'candidate', title: 'Candidate', kind: 'count-cell' },
  { key: 'unpaired', title: 'Unpaired', kind: 'count-cell' },
  { key: 'unread', title: 'Unread', kind: 'count-cell' },
  { key: 'volume', title: 'Volume', kind: 'count-cell' },
] as const satisfies readonly { key: SortKey; title: string; kind: string }[];

/** The columns with their titles as buttons. A second press on a title reverses the order. */
export function sortableColumns(filter: SeriesFilter, onSort: (filter: SeriesFilter) => void): Column[] {
  return columns.map(({ key, title, kind }) => {
    const isSorted = filter.sort === key;
    const isAscending = (key === 'series') !== filter.reversed;
    return {
      title,
      kind,
      sort: {
        direction: isSorted ? (isAscending ? 'ascending' : 'descending') : 'none',
        onSort: () => onSort({ ...filter, sort: key, reversed: isSorted && !filter.reversed }),
      },
    };
  });
}

/** The orders that a narrow page offers in a list. */
export const sortOptions = [
  ['events false', 'Most events'],
  ['paired false', 'Most paired'],
  ['candidate false', 'Most candidates'],
  ['waiting false', 'Most waiting for review'],
  ['unpaired false', 'Most unpaired'],
  ['unread false', 'Most unread'],
  ['volume false', 'Largest volume'],
  ['series false', 'Name'],
  ['events true', 'Fewest events'],
  ['paired true', 'Fewest paired'],
  ['candidate true', 'Fewest candidates'],
  ['unpaired true', 'Fewest unpaired'],
  ['unread true', 'Fewest unread'],
  ['volume true', 'Smallest volume'],
  ['series true', 'Name, from Z'],
] as const;

/** The filter with the order of one of sortOptions. */
export function sortedBy(filter: SeriesFilter, option: string): SeriesFilter {
  const [sort, reversed] = option.split(' ');
  return { ...filter, sort: sort as SortKey, reversed: reversed === 'true' };
}
