import type { ConnectionFailed } from './failure.ts';

/** Fails a query with the error of `makeError` after `limitMs`. The caller must call `clear`. */
export class Deadline {
  readonly #passed: Promise<never>;
  readonly #timer: ReturnType<typeof setTimeout>;
  #fail: (error: ConnectionFailed) => void = () => {};

  constructor(limitMs: number, makeError: () => ConnectionFailed) {
    this.#passed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // The deadline may pass while nothing awaits it; without this the process would end.
    this.#passed.catch(() => {});
    this.#timer = setTimeout(() => this.#fail(makeError()), limitMs);
  }

  /** Fails the waiting query before the deadline. */
  fail(error: ConnectionFailed): void {
    this.#fail(error);
  }

  /** Resolves with `work`, or rejects when the deadline passes first. */
  async within<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#passed]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
