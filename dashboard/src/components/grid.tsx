import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import { VirtualList } from './virtual_list.tsx';

// A virtual table. Only visible rows exist in the DOM, so the roles with aria-rowcount and
// aria-rowindex state the position of each row. All rows are `rowHeight` px high; the page's CSS
// lays out the cells.
const table = (label: string, rows: number, columns: number) => ({
  role: 'table' as const,
  'aria-label': label,
  'aria-rowcount': rows,
  'aria-colcount': columns,
});
const group = { role: 'rowgroup' } as const;
const rowAt = (number: number) => ({ role: 'row' as const, 'aria-rowindex': number });
const cell = { role: 'cell' } as const;
const head = (sort: Column['sort']) => ({ role: 'columnheader' as const, 'aria-sort': sort?.direction });

export type Column = {
  title: string;
  kind?: string;
  /** Makes the title a button that sorts the rows. */
  sort?: { direction: 'ascending' | 'descending' | 'none'; onSort(): void };
};

type GridProps = {
  label: string;
  /** Column titles. The kind `unseen` hides a title from all but screen readers. */
  columns: readonly Column[];
  count: number;
  rowHeight: number;
  rowKind: string;
  headKind: string;
  row(index: number): ComponentChildren;
};

export function Grid({ label, columns, count, rowHeight, rowKind, headKind, row }: GridProps) {
  return (
    <div {...table(label, count + 1, columns.length)}>
      <div {...group} class={headKind}>
        <div {...rowAt(1)} class={rowKind}>
          {columns.map(({ title, kind, sort }) => (
            <div key={title} {...head(sort)} class={kind}>
              {sort ? (
                <button type="button" class="sort" onClick={sort.onSort}>
                  {title}
                  <Icon name="down" />
                </button>
              ) : (
                title
              )}
            </div>
          ))}
        </div>
      </div>
      <VirtualList count={count} rowHeight={rowHeight} row={row} />
    </div>
  );
}

/** `index` counts from 0 over all rows, rendered or not. */
export function GridRow({ kind, index, children }: { kind: string; index: number; children: ComponentChildren }) {
  return (
    <div {...rowAt(index + 2)} class={kind}>
      {children}
    </div>
  );
}

export function Cell({ kind, children }: { kind?: string; children?: ComponentChildren }) {
  return (
    <div {...cell} class={kind}>
      {children}
    </div>
  );
}
