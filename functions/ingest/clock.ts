/** One stretch of market time: from `real_from` on, `market_from` was shown and ran at `rate` (epoch milliseconds; 1 = real speed). */
export type ClockSegment = { real_from: number; market_from: number; rate: number };

/**
 * Market time in epoch milliseconds at the real time `realMs`.
 *
 * With no segment that has begun, market time is real time: that is how a hosted project runs. The same rule in SQL is
 * `clock.now()`; a replay or a simulation that runs fast would otherwise stamp books with times that its listings never had.
 */
export function marketTimeAt(segments: readonly ClockSegment[], realMs: number): number {
  const current = segmentAt(segments, realMs);
  return current ? current.market_from + (realMs - current.real_from) * current.rate : realMs;
}

/** The segment that is current at the real time `realMs`; null before the first. */
export function segmentAt(segments: readonly ClockSegment[], realMs: number): ClockSegment | null {
  let current: ClockSegment | null = null;
  for (const segment of segments) {
    if (segment.real_from <= realMs && (!current || segment.real_from >= current.real_from)) current = segment;
  }
  return current;
}

/** Market time of a worker, by the segments that the database sent last. */
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
