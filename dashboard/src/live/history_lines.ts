import type { Point } from './frames.ts';

/**
 * Aligned columns: epoch seconds and both asks in cents. Null interrupts a line: no ask, or no
 * sample.
 */
export type Lines = { t: number[]; venue_a: (number | null)[]; venue_b: (number | null)[] };

/**
 * After three minutes without a sample the line is interrupted instead of carrying the old price
 * on.
 */
const BREAK_MS = 180_000;

/**
 * Joins the sampled history, which ends some minutes ago, with the live trail of this page. The
 * first point of the trail is the price when the page opened, which may be hours old. History has a
 * sample for every minute, so it is used up to the first change after that point. A pause longer
 * than `breakMs` between two samples interrupts the line.
 */
export function linesOf(
  history: readonly Point[],
  trail: readonly Point[],
  range: { from: number; to: number },
  breakMs = BREAK_MS,
): Lines {
  const lines: Lines = { t: [], venue_a: [], venue_b: [] };
  let last: Point | undefined;
  const push = (t: number, point: Omit<Point, 't'>) => {
    lines.t.push(t / 1000);
    lines.venue_a.push(inCents(point.venue_a));
    lines.venue_b.push(inCents(point.venue_b));
  };
  const past = history.filter((point) => point.t < (trail[1]?.t ?? Number.POSITIVE_INFINITY));
  const until = past.at(-1)?.t ?? Number.NEGATIVE_INFINITY;
  const live = trail.filter((point) => point.t > until);
  const began = live[0]?.t ?? Number.POSITIVE_INFINITY;
  for (const point of [...past, ...live]) {
    if (point.t > range.to) break;
    if (point.t < range.from) {
      last = point;
      continue;
    }
    // A price from before the range continues into it.
    if (last && lines.t.length === 0 && point.t - last.t <= breakMs) push(range.from, last);
    // The minutes between the end of history and the trail are not an interruption.
    // Nothing is before the range that a pause could interrupt.
    else if (last && lines.t.length > 0 && point.t < began && point.t - last.t > breakMs)
      push(last.t + breakMs / 3, { venue_a: null, venue_b: null });
    push(point.t, point);
    last = point;
  }
  if (last && trail.length > 0 && last.t < range.to) {
    if (lines.t.length === 0) push(range.from, last);
    push(range.to, last);
  }
  return lines;
}

function inCents(ask: number | null): number | null {
  return ask === null ? null : Math.round(ask * 1e6) / 1e4;
}

/** The times at which an ask changed, newest first: the plot as a table. */
export function changesOf(
  lines: Lines,
  maxRows: number,
): { t: number; venue_a: number | null; venue_b: number | null }[] {
  const changes: { t: number; venue_a: number | null; venue_b: number | null }[] = [];
  lines.t.forEach((t, at) => {
    const row = { t, venue_a: lines.venue_a[at] ?? null, venue_b: lines.venue_b[at] ?? null };
    const before = changes.at(-1);
    if (!before || before.venue_a !== row.venue_a || before.venue_b !== row.venue_b) changes.push(row);
  });
  return changes.reverse().slice(0, maxRows);
}
