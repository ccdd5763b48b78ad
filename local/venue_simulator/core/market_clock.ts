/**
 * One segment of market time: from the real time `real_from` on, market time starts at
 * `market_from` and runs at `rate` (epoch ms; 1 is real speed).
 */
export type ClockSegment = { real_from: number; market_from: number; rate: number };

/**
 * Market time in epoch milliseconds at the real time `realMs`. It is real time before the first
 * segment.
 */
export function marketTimeAt(segments: readonly ClockSegment[], realMs: number): number {
  let current: ClockSegment | null = null;
  for (const segment of segments) {
    if (segment.real_from <= realMs && (!current || segment.real_from >= current.real_from)) current = segment;
  }
  return current ? current.market_from + (realMs - current.real_from) * current.rate : realMs;
}
