import type { ComponentChildren } from 'preact';
import { VirtualList } from './virtual_list.tsx';

/**
 * A table of which only the rows in the window exist: <table> could not say so, these roles do (aria-rowcount, aria-rowindex). Rows are
 * as high as `rowHeight` says, whatever the width; the page's own CSS lays out their cells.
 */
const table = (label: string, rows: number, columns: number) => ({
  role: 'table' as const,
  'aria-label': label,
  'aria-rowcount': rows,
  'aria-colcount': columns,
});
const group = { role: 'rowgroup' } as const;
const rowAt = (number: number) => ({ role: 'row' as const, 'aria-rowindex': number });
const cell = { role: 'cell' } as const;
const head = { role: 'columnheader' } as const;

type GridProps = {
  label: string;
  /** Titles of the columns; one that is `unseen` is only read aloud. */
  columns: readonly { title: string; kind?: string }[];
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
          {columns.map(({ title, kind }) => (
            <div key={title} {...head} class={kind}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <VirtualList count={count} rowHeight={rowHeight} row={row} />
    </div>
  );
}

/** `index` counts from 0 over all rows, drawn or not. */
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
