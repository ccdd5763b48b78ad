import type { Point } from './frames.ts';

/** Aligned columns: seconds since 1970, and both asks in cents. Null breaks a line: there was no ask, or nobody looked. */
export type Lines = { t: number[]; venue_a: (number | null)[]; venue_b: (number | null)[] };

/** Three buckets without a point: nothing was sampled, and what was true before is not claimed any longer. */
const BREAK_MS = 180_000;

/**
 * Points of the last minutes come as they happen, so they follow on the history, which stands some minutes back. The trail's first point is
 * what stood when the page was opened, maybe for hours: history, which says so every minute, is shown up to the first change after it.
 */
export function linesOf(
  history: readonly Point[],
  trail: readonly Point[],
  range: { from: number; to: number },
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
  const seen = trail.filter((point) => point.t > until);
  const began = seen[0]?.t ?? Number.POSITIVE_INFINITY;
  for (const point of [...past, ...seen]) {
    if (point.t > range.to) break;
    if (point.t < range.from) {
      last = point;
      continue;
    }
    // What stood before the picture begins goes on into it.
    if (last && lines.t.length === 0 && point.t - last.t <= BREAK_MS) push(range.from, last);
    else if (last && isBreak(last, point, began)) push(last.t + BREAK_MS / 3, { venue_a: null, venue_b: null });
    push(point.t, point);
    last = point;
  }
  if (last && trail.length > 0 && last.t < range.to) {
    if (lines.t.length === 0) push(range.from, last);
    push(range.to, last);
  }
  return lines;
}

/** The last minutes, where history lags, are no break: the trail takes over there. */
function isBreak(last: Point, point: Point, began: number): boolean {
  return point.t < began && point.t - last.t > BREAK_MS;
}

function inCents(ask: number | null): number | null {
  return ask === null ? null : Math.round(ask * 1e6) / 1e4;
}

/** The moments at which an ask changed, newest first: the same picture for those who read it. */
export function changesOf(lines: Lines, most: number): { t: number; venue_a: number | null; venue_b: number | null }[] {
  const changes: { t: number; venue_a: number | null; venue_b: number | null }[] = [];
  lines.t.forEach((t, at) => {
    const row = { t, venue_a: lines.venue_a[at] ?? null, venue_b: lines.venue_b[at] ?? null };
    const before = changes.at(-1);
    if (!before || before.venue_a !== row.venue_a || before.venue_b !== row.venue_b) changes.push(row);
  });
  return changes.reverse().slice(0, most);
}
