import { categoryName, eventsIn, type Series, type State, seriesName, sumOf } from './coverage.ts';

/** The value of a column, and its order: names from A, counts from the largest. */
const sortValues = {
  series: seriesName,
  events: (row: Series) => row.events,
  paired: (row: Series) => row.paired,
  candidate: (row: Series) => row.candidate,
  waiting: (row: Series) => row.waiting,
  unpaired: (row: Series) => sumOf(row.unpaired),
  unread: (row: Series) => sumOf(row.unread),
  volume: (row: Series) => row.volume?.amount ?? null,
} as const satisfies Record<string, (row: Series) => string | number | null>;

export type SortKey = keyof typeof sortValues;

export type SeriesFilter = {
  search: string;
  venue: string;
  category: string;
  state: string;
  sort: SortKey;
  /** Against the usual order of the column. */
  reversed: boolean;
};

export const NO_SERIES_FILTER: SeriesFilter = {
  search: '',
  venue: '',
  category: '',
  state: '',
  sort: 'events',
  reversed: false,
};

/** The value of the filter for series without a category. */
export const NO_CATEGORY = 'none';

/** The states that a filter selects, `waiting` as part of `candidate`. */
export const filterStates = [
  ['paired', 'Paired'],
  ['candidate', 'Candidate'],
  ['waiting', 'Waiting for review'],
  ['unpaired', 'Unpaired'],
  ['unread', 'Unread'],
] as const satisfies readonly (readonly [State | 'waiting', string])[];

function hasState(row: Series, state: string): boolean {
  const known = filterStates.find(([one]) => one === state)?.[0];
  if (known === undefined) return false;
  return (known === 'waiting' ? row.waiting : eventsIn(row, known)) > 0;
}

const searchTexts = new WeakMap<Series, string>();

/** What a search finds. Kept for each row, since every typed letter searches all of them. */
function searchTextOf(row: Series): string {
  let text = searchTexts.get(row);
  if (text === undefined) {
    const codes = [...Object.keys(row.unpaired), ...Object.keys(row.unread)];
    text = [seriesName(row), categoryName(row.category), row.sport ?? '', ...codes].join(' ').toLowerCase();
    searchTexts.set(row, text);
  }
  return text;
}

const byName = new Intl.Collator();

/** The rows that pass the filter, in its order. Equal rows keep the order of the response. */
export function selectedSeries(rows: readonly Series[], filter: SeriesFilter): Series[] {
  const { search, venue, category, state, sort, reversed } = filter;
  const words = search.toLowerCase().split(/\s+/);
  const sortValueOf = sortValues[sort];
  const sign = reversed ? -1 : 1;
  return rows
    .filter((row) => !venue || row.venue === venue)
    .filter((row) => !category || (row.category ?? NO_CATEGORY) === category)
    .filter((row) => !state || hasState(row, state))
    .filter((row) => words.every((word) => searchTextOf(row).includes(word)))
    .map((row) => ({ row, value: sortValueOf(row) }))
    .sort(({ value: one }, { value: other }) => {
      // A value that the venue does not state is last in both directions.
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      if (typeof one === 'string' || typeof other === 'string')
        return sign * byName.compare(String(one), String(other));
      return sign * (other - one);
    })
    .map(({ row }) => row);
}

export function filterOf(query: URLSearchParams): SeriesFilter {
  const sort = query.get('sort') ?? '';
  return {
    search: query.get('search') ?? '',
    venue: query.get('venue') ?? '',
    category: query.get('category') ?? '',
    state: query.get('state') ?? '',
    sort: Object.hasOwn(sortValues, sort) ? (sort as SortKey) : NO_SERIES_FILTER.sort,
    reversed: query.get('reversed') === 'true',
  };
}

/** The address of this page with the filter and the order, so that the link can be shared. */
export function addressOf(filter: SeriesFilter): string {
  const changed = Object.entries(filter).filter(
    ([key, value]) => value !== NO_SERIES_FILTER[key as keyof SeriesFilter],
  );
  const query = new URLSearchParams(changed.map(([key, value]) => [key, String(value)]));
  return query.size > 0 ? `/coverage?${query}` : '/coverage';
}
