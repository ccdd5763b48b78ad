/**
 * A segment of market time. At the real time `real_from` market time is `market_from`; from then on
 * it runs at `rate` (epoch milliseconds; 1 = real speed).
 */
export type ClockSegment = { real_from: number; market_from: number; rate: number };

/**
 * Market time in epoch milliseconds at the real time `realMs`.
 *
 * Before the first segment market time is real time. A hosted project has no segments.
 * `clock.now()` in SQL follows the same rule. Without it, a replay or a fast simulation would give
 * books times that its listings never had.
 */
export function marketTimeAt(segments: readonly ClockSegment[], realMs: number): number {
  const current = segmentAt(segments, realMs);
  return current ? current.market_from + (realMs - current.real_from) * current.rate : realMs;
}

/** The current segment at the real time `realMs`. Null before the first one. */
export function segmentAt(segments: readonly ClockSegment[], realMs: number): ClockSegment | null {
  let current: ClockSegment | null = null;
  for (const segment of segments) {
    if (segment.real_from <= realMs && (!current || segment.real_from >= current.real_from)) current = segment;
  }
  return current;
}

/** Market time of a worker, from the segments that the database sent last. */
export class MarketClock {
  readonly #realNow: () => number;
  #segments: readonly ClockSegment[] = [];

  constructor(realNow: () => number) {
    this.#realNow = realNow;
  }

  set(segments: readonly ClockSegment[]): void {
    this.#segments = segments;
  }

  /** Whole epoch milliseconds. */
  now(): number {
    return Math.floor(marketTimeAt(this.#segments, this.#realNow()));
  }

  segment(): ClockSegment | null {
    return segmentAt(this.#segments, this.#realNow());
  }
}
