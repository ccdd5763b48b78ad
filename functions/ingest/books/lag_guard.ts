import type { ClockSegment } from '../clock.ts';
import type { Trust } from './book_guard.ts';
import { Lag } from './lag.ts';

/** A line that stays late for this long (real ms) is opened anew: nothing that is under way is worth the wait. */
const LATE_LONG_MS = 15_000;

export type LatenessOut = {
  /** The stretch of market time that is current. */
  segment?(): ClockSegment | null;
  /** Hang up and begin anew. */
  restart?(why: string): void;
};

/** Keeps the books of a line from being believed while its messages come seconds later than usual. */
export class Lateness {
  private readonly trust: Trust;
  private readonly out: LatenessOut;
  private readonly resume: (at: number) => void;
  private readonly lag = new Lag();
  private since: number | null = null;

  constructor(trust: Trust, out: LatenessOut, resume: (at: number) => void) {
    this.trust = trust;
    this.out = out;
    this.resume = resume;
  }

  /** Our clock minus the venue's, the shortest way included; null while unknown. */
  get usual(): number | null {
    return this.lag.usual;
  }

  /** A new connection, another clock. */
  opened(at: number): void {
    this.lag.restart(at, this.out.segment?.() ?? null);
    this.over(at);
  }

  /** The venue's stamp on a change that came at `at`. */
  stamped(stamp: number | undefined, at: number, now: number): void {
    const was = this.lag.late;
    const onTimeAt = this.lag.onTimeAt ?? at;
    if (this.lag.note(stamp, at, this.out.segment?.() ?? null) === was) return;
    if (was) this.over(at);
    else {
      this.since = now;
      this.trust.hold('feed.late', onTimeAt);
    }
  }

  tick(now: number): void {
    if (this.since === null || now - this.since < LATE_LONG_MS) return;
    this.since = now;
    this.out.restart?.('what it says stays seconds late');
  }

  private over(at: number): void {
    this.since = null;
    this.resume(at);
  }
}
