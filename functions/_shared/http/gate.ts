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

export class TimedOut extends Error {}

/** `work`, or TimedOut after `ms`: a database that hangs must not hang its callers. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
