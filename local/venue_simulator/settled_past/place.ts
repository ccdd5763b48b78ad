/**
 * A place in the settled past, in the order of its pages: the newest day first, within a day by
 * strand, question and market. Cursors contain it. `until` is the market time at which the past
 * part of the listing began: later settlements are not part of it, so a page never moves.
 */
export type Place = { until: number; day: number; strand: number; question: number; market: number };

export const START = { day: Number.POSITIVE_INFINITY, strand: -1, question: -1, market: -1 };

export function cursorOf({ until, day, strand, question, market }: Place): string {
  const at = Number.isFinite(day) ? day : 'newest';
  return Buffer.from(`past:${until}:${at}:${strand}:${question}:${market}`).toString('base64url');
}

/** Null when the cursor is not one of the past. */
export function placeOf(cursor: string | null): Place | null {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('utf8');
  const match = /^past:(\d+):(newest|-?\d+):(-?\d+):(-?\d+):(-?\d+)$/.exec(text);
  if (!match) return null;
  const [until = 0, , strand = 0, question = 0, market = 0] = match.slice(1).map(Number);
  return { until, day: match[2] === 'newest' ? START.day : Number(match[2]), strand, question, market };
}
