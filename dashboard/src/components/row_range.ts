/** Rows beyond the window's edges that are drawn as well, so that a quick scroll shows no gap. */
const OVERSCAN_ROWS = 8;

export type RowRange = { first: number; last: number };

/** Which of `count` rows of one height lie in a window of `height`, when the list's top is `top` below the window's. `last` is exclusive. */
export function rowRangeOf(top: number, height: number, rowHeight: number, count: number): RowRange {
  const first = Math.max(0, Math.min(count, Math.floor(-top / rowHeight) - OVERSCAN_ROWS));
  const last = Math.max(first, Math.min(count, Math.ceil((height - top) / rowHeight) + OVERSCAN_ROWS));
  return { first, last };
}
