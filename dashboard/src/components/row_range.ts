/** Rows rendered above and below the viewport, so that fast scrolling shows no empty area. */
const OVERSCAN_ROWS = 8;

export type RowRange = { first: number; last: number };

/**
 * The rows of a list to render. `top` is the list's top relative to the viewport, `height` the
 * viewport's height, both in px; all rows are `rowHeight` px high. `last` is exclusive.
 */
export function rowRangeOf(top: number, height: number, rowHeight: number, count: number): RowRange {
  const first = Math.max(0, Math.min(count, Math.floor(-top / rowHeight) - OVERSCAN_ROWS));
  const last = Math.max(first, Math.min(count, Math.ceil((height - top) / rowHeight) + OVERSCAN_ROWS));
  return { first, last };
}
