/** The value of a condition that holds. */
type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

export type WaitOptions = {
  timeoutMs?: number;
  /** Time between two checks. By default it grows from 10 to 200 ms. */
  everyMs?: number;
  /** The name of the condition in the error. Default: its source text. */
  what?: string | undefined;
  /**
   * Returns why the condition can no longer become true, such as a dead process. The wait then
   * rejects at once.
   */
  failed?: () => string | false;
  /** More text for the error, requested after the timeout. */
  evidence?: () => string | Promise<string>;
};

/**
 * Waits until `condition` returns a truthy value, and resolves to it. A condition that throws
 * counts as false, because a part of the system may be restarting. Rejects after `timeoutMs` with
 * `what`, the last error and the evidence, also when the condition never returns.
 */
export async function waitUntil<T>(condition: () => T | Promise<T>, waiting: WaitOptions = {}): Promise<Truthy<T>> {
  const { timeoutMs = 120_000, what = condition.toString(), failed = () => false, evidence = () => '' } = waiting;
  const began = performance.now();
  const stuck = Symbol('stuck');
  let failure: unknown;
  for (let elapsedMs = 0; ; elapsedMs = performance.now() - began) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<typeof stuck>((resolve) => {
      timer = setTimeout(() => resolve(stuck), Math.max(0, timeoutMs - elapsedMs) + 5_000);
    });
    try {
      const value = await Promise.race([condition(), late]);
      if (value === stuck) failure = new Error('The condition never returned.');
      else if (value) return value as Truthy<T>;
      else failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      clearTimeout(timer);
    }
    const why = failed();
    if (why) throw new Error(`${why} during the wait for: ${what}.\n${await evidence()}`.trimEnd());
    if (performance.now() - began > timeoutMs) break;
    await pause(waiting.everyMs ?? Math.min(200, 10 + elapsedMs / 10));
  }
  const last = failure === undefined ? '' : ` Last: ${failure instanceof Error ? failure.message : String(failure)}`;
  throw new Error(`Not within ${timeoutMs} ms: ${what}.${last}\n${await evidence()}`.trimEnd(), { cause: failure });
}

/**
 * Waits for a fixed time. Only for times that a test is about: the pace of a load, the length of a
 * fault, a time in which nothing may arrive. All other waits use `waitUntil`.
 */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether `condition` becomes true in time. */
export const holdsWithin = (condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> =>
  waitUntil(condition, { timeoutMs }).then(
    () => true,
    () => false,
  );
