import type { Services } from '../../../functions/api/app_types.ts';

/** Real time between two steps, and the time that one step lets pass. */
const STEP_MS = 5;
const PASSES_MS = 100;

type Waiting = { dueAt: number; resume(): void };

/**
 * The time of the watches of an API: twenty times as fast as real time, except while a test holds
 * it. A held watch reads the log again and again, and no second of it passes.
 */
export class WatchTime {
  #now = 0;
  #isHeld = false;
  #waiting: Waiting[] = [];
  readonly #timer = setInterval(() => this.#step(), STEP_MS);

  readonly runtime: Services['runtime'] = {
    now: () => this.#now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const resume = (): void => {
          signal?.removeEventListener('abort', resume);
          this.#waiting = this.#waiting.filter((one) => one.resume !== resume);
          resolve();
        };
        this.#waiting.push({ dueAt: this.#now + ms, resume });
        signal?.addEventListener('abort', resume);
      }),
  };

  now(): number {
    return this.#now;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #step(): void {
    if (!this.#isHeld) this.#now += PASSES_MS;
    for (const one of [...this.#waiting]) if (this.#isHeld || one.dueAt <= this.#now) one.resume();
  }
}
