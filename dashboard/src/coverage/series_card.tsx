import { useMemo, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { count } from '../components/format.ts';
import { go, useAddress } from '../router.ts';
import './series.css';
import type { Coverage, Series } from './coverage.ts';
import { SeriesDialog } from './series_dialog.tsx';
import { SeriesFilters } from './series_filters.tsx';
import { addressOf, filterOf, NO_SERIES_FILTER, type SeriesFilter, selectedSeries } from './series_order.ts';
import { SeriesTable } from './series_table.tsx';

/** Every series and tag with the states of its events. The filters are in the address. */
export function SeriesCard({ coverage }: { coverage: Coverage }) {
  const rows = coverage.events_by_series;
  const { query } = useAddress();
  const filter = useMemo(() => filterOf(query), [query]);
  const selected = useMemo(() => selectedSeries(rows, filter), [rows, filter]);
  const [opened, setOpened] = useState<Series>();
  const choose = (next: SeriesFilter) => go(addressOf(next), true);
  return (
    <section class="stack series-part" aria-labelledby="by-series">
      <div>
        <h2 id="by-series">By series and tag</h2>
        <p class="muted small">
          Events of venue_b that have no series are counted by their first tag. Volume is all that was traded in the
          events of a row: contracts of $1 on venue_a, USD on venue_b. The two units do not add up.
        </p>
      </div>
      <SeriesFilters rows={rows} filter={filter} onChange={choose} />
      <p class="muted small" role="status">
        {listText(selected.length, coverage)}
      </p>
      {selected.length === 0 ? (
        <NoneSelected onClear={() => choose({ ...NO_SERIES_FILTER, sort: filter.sort, reversed: filter.reversed })} />
      ) : (
        <SeriesTable rows={selected} filter={filter} reasons={coverage.reasons} onSort={choose} onOpen={setOpened} />
      )}
      {opened && <SeriesDialog row={opened} reasons={coverage.reasons} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

/** How many rows are listed, and whether the response holds all of them. */
function listText(selected: number, { events_by_series, events_by_series_count }: Coverage): string {
  const many = events_by_series.length;
  const listed = selected === many ? count(many) : `${count(selected)} of ${count(many)}`;
  const cut =
    events_by_series_count > many
      ? `. These are the ones with the most events of all ${count(events_by_series_count)}.`
      : '';
  return `${listed} series and tags${cut}`;
}

function NoneSelected({ onClear }: { onClear(): void }) {
  return (
    <EmptyState
      icon="search"
      title="No series matches these filters"
      action={
        <button type="button" class="button" onClick={onClear}>
          Clear filters
        </button>
      }
    />
  );
}
