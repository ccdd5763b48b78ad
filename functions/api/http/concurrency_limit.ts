import { unavailable } from './errors.ts';

/**
 * Bounds how many callers wait for the database at once. Past the bound the honest answer is 503 now: a queue that grows
 * answers everybody too late.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #running = 0;

  constructor(most: number) {
    this.#max = most;
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
