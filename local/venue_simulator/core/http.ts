export type HttpResponse = { status: number; body: string; headers?: Record<string, string> };

export const json = (value: unknown, status = 200): HttpResponse => ({ status, body: JSON.stringify(value) });
export const raw = (body: string, status = 200): HttpResponse => ({ status, body });

/** Cursors are opaque to clients: a position in the order of listing. */
export const cursorAfter = (seq: number): string => Buffer.from(`after:${seq}`).toString('base64url');

export function parseCursor(cursor: string | null): number | null {
  if (!cursor) return 0;
  const match = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return match ? Number(match[1]) : null;
}

/** Index of the first row after `seq` in a list ordered by seq. */
export function firstAfter(rows: readonly { seq: number }[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
