import { useMemo } from 'preact/hooks';
import { Choice } from '../components/choice.tsx';
import { categoryName, type Series } from './coverage.ts';
import { sortedBy, sortOptions } from './series_columns.ts';
import { filterStates, NO_CATEGORY, type SeriesFilter } from './series_order.ts';

type Props = { rows: readonly Series[]; filter: SeriesFilter; onChange(filter: SeriesFilter): void };

const venues = ['venue_a', 'venue_b'].map((venue) => [venue, venue] as const);

/** The filters of the table. The categories are those of the loaded series. */
export function SeriesFilters({ rows, filter, onChange }: Props) {
  const categories = useMemo(() => categoriesOf(rows), [rows]);
  return (
    <search class="series-filters">
      <input
        class="input"
        type="search"
        placeholder="Series, tag, sport, code …"
        aria-label="Search series"
        value={filter.search}
        onInput={(event) => onChange({ ...filter, search: event.currentTarget.value })}
      />
      <Choice
        label="Venue"
        value={filter.venue}
        options={venues}
        onChange={(venue) => onChange({ ...filter, venue })}
      />
      <Choice
        label="Category"
        value={filter.category}
        options={categories}
        onChange={(category) => onChange({ ...filter, category })}
      />
      <Choice
        label="State"
        value={filter.state}
        options={filterStates}
        onChange={(state) => onChange({ ...filter, state })}
      />
      {/* For narrow pages, which have no column titles. */}
      <div class="sort-choice">
        <Choice
          label="Order"
          all={null}
          value={`${filter.sort} ${filter.reversed}`}
          options={sortOptions}
          onChange={(value) => onChange(sortedBy(filter, value))}
        />
      </div>
    </search>
  );
}

function categoriesOf(rows: readonly Series[]): [value: string, name: string][] {
  const categories = [...new Set(rows.map((row) => row.category))];
  const named = categories.map((category): [string, string] => [category ?? NO_CATEGORY, categoryName(category)]);
  return named.sort(([, one], [, other]) => one.localeCompare(other));
}
