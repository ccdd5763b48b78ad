import type { Column } from '../components/grid.tsx';
import type { Sort, SortKey } from './sort_order.ts';

const titles: [title: string, by?: SortKey][] = [
  ['Watch'],
  ['Edge, pts', 'edge'],
  ['Market', 'market'],
  ['Asks on both venues'],
  ['Gap, pts', 'gap'],
  ['Time, volume', 'start'],
  ['Settlement'],
  ['Book age', 'age'],
];

/** The columns of the list; `onSort` is called with the key of the pressed title. */
export function columnsOf(sort: Sort, onSort: (by: SortKey) => void): Column[] {
  return titles.map(([title, by]) => ({
    title,
    ...(title === 'Watch' && { kind: 'unseen' }),
    ...(by && { sort: { direction: sort.by === by ? sort.direction : 'none', onSort: () => onSort(by) } }),
  }));
}

/** Each order as an option: narrow screens have no titles, and the profit has no column. */
export const sortOptions = [
  ['-edge', 'Largest edge first'],
  ['-profit', 'Largest profit first'],
  ['-gap', 'Widest gap first'],
  ['start', 'Earliest start first'],
  ['-start', 'Latest start first'],
  ['age', 'Youngest books first'],
  ['-age', 'Oldest books first'],
  ['market', 'By name'],
  ['-market', 'By name, Z first'],
  ['edge', 'Smallest edge first'],
  ['gap', 'Narrowest gap first'],
] as const;
