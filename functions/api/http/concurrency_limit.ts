import { unavailable } from './errors.ts';

/**
 * Bounds how many callers wait for the database at once. Past the bound the honest answer is 503 now: a queue that grows
 * answers everybody too late.
 */
export class Gate {
  readonly #most: number;
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `work`, or throws ApiError 503 `admission.full` at once. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) throw unavailable('admission.full', 1);
    this.#inside++;
    try {
      return await work();
    } finally {
      this.#inside--;
    }
  }
}
