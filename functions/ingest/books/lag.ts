import type { ClockSegment } from '../clock.ts';

/**
 * Further behind its own usual than this, a line is late: 5 s is some thirty times the median age of a delta (170 ms over 268 frames,
 * venues.md A6) and a twenty-fourth of what REST is delayed by.
 */
const LATE_MS = 5_000;
/** A stamp this much before the one before it says that the venue's clock was set back, not that a message is late. */
const STEP_MS = 1_000;
/** The usual is the least offset of the last five to ten minutes, so that clocks may drift. */
const WINDOW_MS = 300_000;

/**
 * How late a line is, by the venue's stamps. Our clock minus the stamp is skew plus delay, and a constant part of it is skew and harmless;
 * so the least of it (the fastest message) is what is usual, and the rest is delay. All in market time; where that runs n times as fast as
 * real time, so does every delay, and the limit with it.
 */
export class Lag {
  private least = Number.POSITIVE_INFINITY;
  private leastBefore = Number.POSITIVE_INFINITY;
  private began = 0;
  private stamp = Number.NEGATIVE_INFINITY;
  private segment: ClockSegment | null = null;
  late = false;
  /** Market time of receipt of the last message that was not late. */
  onTimeAt: number | null = null;

  /** Our clock minus the venue's, plus the shortest way: null until a stamp was seen. */
  get usual(): number | null {
    const usual = Math.min(this.least, this.leastBefore);
    return Number.isFinite(usual) ? usual : null;
  }

  /** Returns whether the line is late now. */
  note(stamp: number | undefined, at: number, segment: ClockSegment | null): boolean {
    if (stamp === undefined || !Number.isFinite(stamp)) return this.late;
    const rate = Math.max(1, segment?.rate ?? 1);
    const offset = at - stamp;
    if (!sameSegment(segment, this.segment) || stamp < this.stamp - STEP_MS * rate) this.restart(at, segment);
    this.stamp = stamp;
    if (!this.late && at - this.began > WINDOW_MS * rate) {
      this.leastBefore = this.least;
      this.least = Number.POSITIVE_INFINITY;
      this.began = at;
    }
    this.least = Math.min(this.least, offset);
    const limit = LATE_MS * rate * (this.late ? 0.5 : 1);
    this.late = offset - Math.min(this.least, this.leastBefore) > limit;
    if (!this.late) this.onTimeAt = at;
    return this.late;
  }

  /** A new connection, another clock. */
  restart(at: number, segment: ClockSegment | null): void {
    this.least = Number.POSITIVE_INFINITY;
    this.leastBefore = Number.POSITIVE_INFINITY;
    this.began = at;
    this.stamp = Number.NEGATIVE_INFINITY;
    this.segment = segment;
    this.late = false;
  }
}

function sameSegment(a: ClockSegment | null, b: ClockSegment | null): boolean {
  return a === b || (a !== null && b !== null && a.from_real === b.from_real && a.rate === b.rate);
}
