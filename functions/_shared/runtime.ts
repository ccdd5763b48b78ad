/** Clock, fetch, sleep and random of the runtime. Tests pass their own. */
export type Runtime = {
  fetch: typeof fetch;
  /** Real time, epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 to 1, for jitter. */
  random(): number;
};

/**
 * Delay before the next attempt, with jitter: a random time between half of a step and the whole
 * step. The step starts at `firstMs` and doubles with each attempt up to `maxMs`.
 */
export function backoffDelay(attempt: number, firstMs: number, maxMs: number, random: () => number): number {
  const step = Math.min(maxMs, firstMs * 2 ** attempt);
  return Math.round(step / 2 + (step / 2) * random());
}
