/** What a client needs of the world around it, so that tests and both runtimes give their own. */
export type Runtime = {
  fetch: typeof fetch;
  /** Real time, epoch milliseconds. */
  now(): number;
  /** Waits; ends at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 to 1, for jitter. */
  random(): number;
};

/** Full jitter: somewhere between half of the step and all of it, doubling up to `most`. */
export function backoffDelay(attempt: number, first: number, most: number, random: () => number): number {
  const step = Math.min(most, first * 2 ** attempt);
  return Math.round(step / 2 + (step / 2) * random());
}
