import type { LeaseClock } from '../../../functions/api/leases/lease_row.ts';

/** Clocks of an isolate that move only when the test moves them, and timers that run with them. */
export class TestLeaseClock implements LeaseClock {
  #elapsedMs = 1_000;
  #wallMs = 1_000_000;
  #timers: { at: number; work: () => void }[] = [];

  elapsed(): number {
    return this.#elapsedMs;
  }

  wall(): number {
    return this.#wallMs;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.#elapsedMs + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** Time passes: both clocks move, and the timers of this time run. */
  pass(ms: number): void {
    this.#elapsedMs += ms;
    this.#wallMs += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#elapsedMs);
    this.#timers = this.#timers.filter(({ at }) => at > this.#elapsedMs);
    for (const { work } of due) work();
  }

  /** The clock of the host is set, forward or back. */
  stepWall(ms: number): void {
    this.#wallMs += ms;
  }
}
