import type { ClockSegment } from '../clock.ts';

/**
 * A connection is late when a message is this much later than usual. 5 s is about thirty times the
 * median age of a delta (170 ms over 268 messages, venues.md A6) and 1/24 of the delay of the REST
 * snapshot.
 */
const MAX_LAG_MS = 5_000;
/**
 * A timestamp this much older than the previous one means that the venue set its clock back, not
 * that a message is late.
 */
const CLOCK_STEP_MS = 1_000;
/** The usual offset is the minimum of the last five to ten minutes, so that clocks may drift. */
const MIN_OFFSET_WINDOW_MS = 300_000;

/**
 * Estimates the lag of a connection from the venue's timestamps. Our clock minus the timestamp is
 * clock skew plus delay. The skew is constant and harmless. The minimum (the fastest message) is
 * the usual offset; the rest is lag.
 *
 * All times are market time. Where market time runs n times as fast as real time, delays and the
 * limit grow n times too.
 */
export class LagEstimator {
  #minOffset = Number.POSITIVE_INFINITY;
  #previousMinOffset = Number.POSITIVE_INFINITY;
  #windowStartedAt = 0;
  #lastStamp = Number.NEGATIVE_INFINITY;
  #segment: ClockSegment | null = null;
  isLate = false;
  /** Market time of receipt of the last message that was on time. */
  onTimeAt: number | null = null;

  /** Our clock minus the venue's clock, plus the shortest delay. Null until the first timestamp. */
  get usualOffset(): number | null {
    const usual = Math.min(this.#minOffset, this.#previousMinOffset);
    return Number.isFinite(usual) ? usual : null;
  }

  /** Returns whether the connection is late now. */
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

  /** Forgets the offsets: a new connection may use another clock. */
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
