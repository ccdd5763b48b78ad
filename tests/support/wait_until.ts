/** What a condition gives once it holds. */
type Held<T> = Exclude<T, undefined | null | false | 0 | ''>;

export type Waiting = {
  timeoutMs?: number;
  /** Between two looks. Where nothing is given it grows from 10 to 200 ms. */
  everyMs?: number;
  /** What the error names; the text of the condition where nothing is given. */
  what?: string | undefined;
  /** Why the condition cannot come to hold any more, such as a process that has ended: the wait rejects at once. */
  failed?: () => string | false;
  /** More for the error, asked for when the time is over. */
  evidence?: () => string | Promise<string>;
};

/**
 * Waits until `condition` gives something true, and resolves to that. A condition that throws does
 * not hold yet: a part of the system may be restarting. Rejects after `timeoutMs` with `what`, the
 * last failure and the evidence, also when the condition itself never comes back.
 */
export async function waitUntil<T>(condition: () => T | Promise<T>, waiting: Waiting = {}): Promise<Held<T>> {
  const { timeoutMs = 15_000, what = condition.toString(), failed = () => false, evidence = () => '' } = waiting;
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
      if (value === stuck) failure = new Error('The condition never came back.');
      else if (value) return value as Held<T>;
      else failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      clearTimeout(timer);
    }
    const why = failed();
    if (why) throw new Error(`${why}, while it was waited for: ${what}.\n${await evidence()}`.trimEnd());
    if (performance.now() - began > timeoutMs) break;
    await pause(waiting.everyMs ?? Math.min(200, 10 + elapsedMs / 10));
  }
  const last = failure === undefined ? '' : ` Last: ${failure instanceof Error ? failure.message : String(failure)}`;
  throw new Error(`Not within ${timeoutMs} ms: ${what}.${last}\n${await evidence()}`.trimEnd(), { cause: failure });
}

/**
 * Lets a time pass that is itself the subject: a load's pace, how long a fault lasts, a while in which nothing may come.
 * Everything else waits for its condition.
 */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether `condition` comes to hold in time. */
export const holdsWithin = (condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> =>
  waitUntil(condition, { timeoutMs }).then(
    () => true,
    () => false,
  );
