/** One stretch of market time: from the real time `from_real` on, it is `from_shown` and runs at `rate` (epoch milliseconds; 1 = real speed). */
export type ClockSegment = { from_real: number; from_shown: number; rate: number };

/** Market time in epoch milliseconds at the real time `realMs`. It is real time before the first segment. */
export function marketTimeAt(segments: readonly ClockSegment[], realMs: number): number {
  let current: ClockSegment | null = null;
  for (const segment of segments) {
    if (segment.from_real <= realMs && (!current || segment.from_real >= current.from_real)) current = segment;
  }
  return current ? current.from_shown + (realMs - current.from_real) * current.rate : realMs;
}
