import type { Runtime } from '../../functions/_shared/runtime.ts';
import type { Cancel, Clock } from '../../local/venue_simulator/core/clock.ts';
import { keyOf, unit } from '../../local/venue_simulator/core/random.ts';

type Timer = { at: number; run: () => void };

export type UntilOptions = {
  /** The name of the condition in the error. Default: its source text. */
  what?: string;
  limitMs?: number;
};

/** More virtual time than a test needs. It passes within seconds and ends a test that hangs. */
const LIMIT_MS = 3_600_000;

/** Numbers from 0 to 1 that are the same in every run. */
export function seededRandom(name: string): () => number {
  const key = keyOf(name);
  let drawn = 0;
  return () => unit(key, drawn++);
}

/**
 * A clock that jumps from timer to timer, for code that takes its clock as an argument. A run does
 * not depend on the speed of the machine: timers run in the order of their times, those of one
 * millisecond in the order in which they were set, and all promises settle between two timers.
 *
 * Time passes only within `advance`, `until` and `run`.
 */
export class VirtualTime implements Clock, Omit<Runtime, 'fetch'> {
  /** In the order in which they run. */
  readonly #timers: Timer[] = [];
  #now: number;
  #isPassing = false;
  /** The last of the work outside, and how much of it is not done. */
  #outside: Promise<unknown> = Promise.resolve();
  #pending = 0;
  /** Jitter: the same in every run. */
  readonly random = seededRandom('jitter');

  constructor(startsAt = Date.UTC(2026, 10, 20, 12)) {
    this.#now = startsAt;
  }

  readonly now = (): number => this.#now;

  /** As `setTimeout`: the delay is a whole number of milliseconds, at least one. */
  after(ms: number, action: () => void): Cancel {
    const timer = { at: this.#now + Math.max(1, Math.trunc(ms)), run: action };
    let place = this.#timers.length;
    while (place > 0 && (this.#timers[place - 1]?.at ?? 0) > timer.at) place -= 1;
    this.#timers.splice(place, 0, timer);
    return () => {
      const found = this.#timers.indexOf(timer);
      if (found >= 0) this.#timers.splice(found, 1);
    };
  }

  every(ms: number, action: () => void): Cancel {
    let cancel: Cancel;
    const arm = () => {
      cancel = this.after(ms, () => {
        arm();
        action();
      });
    };
    arm();
    return () => cancel();
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.after(ms, done);
      signal?.addEventListener('abort', done, { once: true });
    });

  /**
   * Work that is done outside of JavaScript, such as that of Web Crypto, takes no virtual time. One
   * runs after the other, because the machine decides which of two is done first.
   */
  outside<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    const done = this.#outside.then(work).finally(() => {
      this.#pending -= 1;
    });
    this.#outside = done.catch(() => {});
    return done;
  }

  /** Lets so much time pass. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#pass(end, () => false);
    this.#now = end;
  }

  /** Lets time pass until the condition holds, and resolves to how much has passed. */
  async until(condition: () => unknown, { what = condition.toString(), limitMs = LIMIT_MS }: UntilOptions = {}) {
    const from = this.#now;
    if (await this.#pass(from + limitMs, condition)) return this.#now - from;
    throw new Error(`Not within ${this.#now - from} ms of virtual time: ${what}.`);
  }

  /** Lets time pass until the promise has settled. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    await this.until(() => isSettled, { what: 'a promise that settles' });
    return await work;
  }

  /** Runs the timers up to `end`. Resolves to whether the condition came to hold. */
  async #pass(end: number, condition: () => unknown): Promise<boolean> {
    if (this.#isPassing) throw new Error('Virtual time already passes.');
    this.#isPassing = true;
    try {
      for (;;) {
        await this.#settle();
        if (condition()) return true;
        const next = this.#timers[0];
        if (!next || next.at > end) return false;
        this.#timers.shift();
        this.#now = next.at;
        next.run();
      }
    } finally {
      this.#isPassing = false;
    }
  }

  /** A turn of the event loop runs every microtask, also those that another one adds. */
  async #settle(): Promise<void> {
    do {
      await this.#outside;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#pending > 0);
  }
}
