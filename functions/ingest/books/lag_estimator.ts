import type { ClockSegment } from '../clock.ts';

/**
 * Further behind its own usual than this, a line is late: 5 s is some thirty times the median age of a delta (170 ms over 268 frames,
 * venues.md A6) and a twenty-fourth of what REST is delayed by.
 */
const MAX_LAG_MS = 5_000;
/** A stamp this much before the one before it says that the venue's clock was set back, not that a message is late. */
const CLOCK_STEP_MS = 1_000;
/** The usual is the least offset of the last five to ten minutes, so that clocks may drift. */
const MIN_OFFSET_WINDOW_MS = 300_000;

/**
 * How late a line is, by the venue's stamps. Our clock minus the stamp is skew plus delay, and a constant part of it is skew and harmless;
 * so the least of it (the fastest message) is what is usual, and the rest is delay. All in market time; where that runs n times as fast as
 * real time, so does every delay, and the limit with it.
 */
export class LagEstimator {
  #minOffset = Number.POSITIVE_INFINITY;
  #previousMinOffset = Number.POSITIVE_INFINITY;
  #windowStartedAt = 0;
  #lastStamp = Number.NEGATIVE_INFINITY;
  #segment: ClockSegment | null = null;
  isLate = false;
  /** Market time of receipt of the last message that was not late. */
  onTimeAt: number | null = null;

  /** Our clock minus the venue's, plus the shortest way: null until a stamp was seen. */
  get usualOffset(): number | null {
    const usual = Math.min(this.#minOffset, this.#previousMinOffset);
    return Number.isFinite(usual) ? usual : null;
  }

  /** Returns whether the line is late now. */
  observe(stamp: number | undefined, at: number, segment: ClockSegment | null): boolean {
    if (stamp === undefined || !Number.isFinite(stamp)) return this.isLate;
    const rate = Math.max(1, segment?.rate ?? 1);
    const offset = at - stamp;
    if (!isSameSegment(segment, this.#segment) || stamp < this.#lastStamp - CLOCK_STEP_MS * rate)
      this.reset(at, segment);
    this.#lastStamp = stamp;
    if (!this.isLate && at - this.#windowStartedAt > MIN_OFFSET_WINDOW_MS * rate) {
      this.#previousMinOffset = this.#minOffset;
      this.#minOffset = Number.POSITIVE_INFINITY;
      this.#windowStartedAt = at;
    }
    this.#minOffset = Math.min(this.#minOffset, offset);
    const limit = MAX_LAG_MS * rate * (this.isLate ? 0.5 : 1);
    this.isLate = offset - Math.min(this.#minOffset, this.#previousMinOffset) > limit;
    if (!this.isLate) this.onTimeAt = at;
    return this.isLate;
  }

  /** A new connection, another clock. */
  reset(at: number, segment: ClockSegment | null): void {
    this.#minOffset = Number.POSITIVE_INFINITY;
    this.#previousMinOffset = Number.POSITIVE_INFINITY;
    this.#windowStartedAt = at;
    this.#lastStamp = Number.NEGATIVE_INFINITY;
    this.#segment = segment;
    this.isLate = false;
  }
}

function isSameSegment(a: ClockSegment | null, b: ClockSegment | null): boolean {
  return a === b || (a !== null && b !== null && a.real_from === b.real_from && a.rate === b.rate);
}
