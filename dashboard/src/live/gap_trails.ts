import type { Market } from './frames.ts';

/** A gap in points at a time (epoch ms). Null: no gap, or no live prices at that time. */
export type GapPoint = { t: number; gap: number | null };
export type GapTrail = readonly GapPoint[];

/** A point every five seconds, for ten minutes. */
export const SAMPLE_EVERY_MS = 5000;
const MAX_POINTS = 120;

/** How the gap of each market moved while this page received live prices. */
export class GapTrails {
  #trails = new Map<string, GapTrail>();
  #times: number[] = [];

  /** How long ago the oldest point is, in ms before the newest one. */
  get period(): number {
    return (this.#times.at(-1) ?? 0) - (this.#times[0] ?? 0);
  }

  /** Adds a point for each market. While prices are not live, the points are null. */
  sample(markets: ReadonlyMap<string, Market>, t: number, isLive: boolean): void {
    const next = new Map<string, GapTrail>();
    for (const market of markets.values()) {
      const before = this.#trails.get(market.id) ?? [];
      const gap = isLive ? market.spread_pts : null;
      const last = before.at(-1);
      // Nothing is known of the time in which no page sampled.
      const pause = last && t - last.t > 3 * SAMPLE_EVERY_MS ? [{ t: last.t + 1, gap: null }] : [];
      next.set(market.id, [...before, ...pause, { t, gap }].slice(-MAX_POINTS));
    }
    this.#trails = next;
    this.#times = [...this.#times, t].slice(-MAX_POINTS);
  }

  of(id: string): GapTrail {
    return this.#trails.get(id) ?? NO_TRAIL;
  }
}

const NO_TRAIL: GapTrail = [];

/** The parts of a trail with a gap, in units of a box, for the lines of a sparkline. */
export function trailLines(trail: GapTrail, width: number, height: number): string[] {
  const gaps = trail.flatMap(({ gap }) => (gap === null ? [] : [gap]));
  const first = trail[0];
  const last = trail.at(-1);
  if (!first || !last || gaps.length === 0) return [];
  const lowest = Math.min(...gaps);
  // A range of at least one point, so that a still market is a flat line.
  const range = Math.max(1, Math.max(...gaps) - lowest);
  const span = Math.max(1, last.t - first.t);
  const lines: string[] = [];
  let line = '';
  for (const { t, gap } of trail) {
    if (gap === null) {
      if (line) lines.push(line);
      line = '';
      continue;
    }
    const x = (((t - first.t) / span) * width).toFixed(1);
    const y = (height - ((gap - lowest) / range) * height).toFixed(1);
    line += line ? `H${x}V${y}` : `M${x},${y}`;
  }
  if (line) lines.push(line);
  return lines;
}
