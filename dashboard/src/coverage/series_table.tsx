import { Grid } from '../components/grid.tsx';
import { useMediaQuery } from '../components/use_media_query.ts';
import type { Coverage, Series } from './coverage.ts';
import { sortableColumns } from './series_columns.ts';
import type { SeriesFilter } from './series_order.ts';
import { SeriesRow } from './series_row.tsx';

type Props = {
  rows: readonly Series[];
  filter: SeriesFilter;
  reasons: Coverage['reasons'];
  onSort(filter: SeriesFilter): void;
  onOpen(row: Series): void;
};

/** A virtual table, since a census has up to 4,000 series. */
export function SeriesTable({ rows, filter, reasons, onSort, onOpen }: Props) {
  return (
    <div class="card series-table">
      <Grid
        label="Events by series and tag"
        columns={sortableColumns(filter, onSort)}
        count={rows.length}
        rowHeight={useRowHeight()}
        rowKind="series-row"
        headKind="series-heads"
        row={(index) => {
          const row = rows[index];
          return (
            row && (
              <SeriesRow
                key={`${row.venue} ${row.series} ${row.tag}`}
                row={row}
                index={index}
                reasons={reasons}
                onOpen={onOpen}
              />
            )
          );
        }}
      />
    </div>
  );
}

/**
 * Row height in px. The virtual list needs it before a row renders. series.css has the same
 * breakpoints.
 */
function useRowHeight(): number {
  const phone = useMediaQuery('(max-width: 640px)');
  const narrow = useMediaQuery('(max-width: 1100px)');
  const huge = useMediaQuery('(min-width: 2200px)');
  if (phone) return 212;
  if (narrow) return 136;
  return huge ? 78 : 62;
}
