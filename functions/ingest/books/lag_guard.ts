import type { ClockSegment } from '../clock.ts';
import type { BookGuard } from './book_guard.ts';
import { LagEstimator } from './lag_estimator.ts';

/**
 * A connection that stays late for this long (real ms) is opened again. Waiting for the queued
 * messages would take longer.
 */
const MAX_LATE_MS = 15_000;

export type LagGuardOutput = {
  /** The current segment of market time. */
  segment?(): ClockSegment | null;
  /** Closes the connection and opens a new one. */
  reconnect?(reason: string): void;
};

/** Suspends the books of a connection while its messages are seconds later than usual. */
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

  /** Our clock minus the venue's clock, including the shortest delay. Null while unknown. */
  get usualOffset(): number | null {
    return this.#estimator.usualOffset;
  }

  /** Resets the estimate: a new connection may use another clock. */
  onOpen(at: number): void {
    this.#estimator.reset(at, this.#output.segment?.() ?? null);
    this.#end(at);
  }

  /** Takes the venue's timestamp of a change that was received at `at`. */
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
    this.#output.reconnect?.('its messages stay seconds late');
  }

  #end(at: number): void {
    this.#lateSince = null;
    this.#resume(at);
  }
}
