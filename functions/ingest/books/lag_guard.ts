import type { ClockSegment } from '../clock.ts';
import type { BookGuard } from './book_guard.ts';
import { LagEstimator } from './lag_estimator.ts';

/** A line that stays late for this long (real ms) is opened anew: nothing that is under way is worth the wait. */
const MAX_LATE_MS = 15_000;

export type LagGuardOutput = {
  /** The stretch of market time that is current. */
  segment?(): ClockSegment | null;
  /** Hang up and begin anew. */
  reconnect?(why: string): void;
};

/** Keeps the books of a line from being believed while its messages come seconds later than usual. */
export class LagGuard {
  readonly #guard: BookGuard;
  readonly #output: LagGuardOutput;
  readonly #resume: (at: number) => void;
  readonly #estimator = new LagEstimator();
  #lateSince: number | null = null;

  constructor(guard: BookGuard, output: LagGuardOutput, resume: (at: number) => void) {
    this.#guard = guard;
    this.#output = output;
    this.#resume = resume;
  }

  /** Our clock minus the venue's, the shortest way included; null while unknown. */
  get usualOffset(): number | null {
    return this.#estimator.usualOffset;
  }

  /** A new connection, another clock. */
  onOpen(at: number): void {
    this.#estimator.reset(at, this.#output.segment?.() ?? null);
    this.#end(at);
  }

  /** The venue's stamp on a change that came at `at`. */
  onStamp(stamp: number | undefined, at: number, now: number): void {
    const wasLate = this.#estimator.isLate;
    const onTimeAt = this.#estimator.onTimeAt ?? at;
    if (this.#estimator.observe(stamp, at, this.#output.segment?.() ?? null) === wasLate) return;
    if (wasLate) this.#end(at);
    else {
      this.#lateSince = now;
      this.#guard.suspend('feed.late', onTimeAt);
    }
  }

  onTimer(now: number): void {
    if (this.#lateSince === null || now - this.#lateSince < MAX_LATE_MS) return;
    this.#lateSince = now;
    this.#output.reconnect?.('what it says stays seconds late');
  }

  #end(at: number): void {
    this.#lateSince = null;
    this.#resume(at);
  }
}
