import { unavailable } from './errors.ts';

/**
 * Limits concurrent work. Over the limit a caller gets 503 at once: a growing queue would answer
 * every caller too late.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs `work`, or throws ApiError 503 `admission.full` at once. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) throw unavailable('admission.full', 1);
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }
}
