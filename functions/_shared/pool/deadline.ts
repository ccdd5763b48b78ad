import type { ConnectionFailed } from './failure.ts';

/** A moment after which a query fails with the error that `why` makes then. `clear` must follow. */
export class Deadline {
  readonly #passed: Promise<never>;
  readonly #timer: ReturnType<typeof setTimeout>;
  #fail: (error: ConnectionFailed) => void = () => {};

  constructor(limitMs: number, why: () => ConnectionFailed) {
    this.#passed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // It may pass while nothing waits for it.
    this.#passed.catch(() => {});
    this.#timer = setTimeout(() => this.#fail(why()), limitMs);
  }

  /** Fails before its time. */
  fail(error: ConnectionFailed): void {
    this.#fail(error);
  }

  /** The result of `work`, if it comes in time. */
  async within<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#passed]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
