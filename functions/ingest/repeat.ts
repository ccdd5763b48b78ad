import { describeError } from '../_shared/pool/error_fields.ts';

type Log = (line: string) => void;

/** Runs `work`. Errors are logged and not thrown, because the next run tries again. */
export async function runLogged(log: Log, task: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log(`${task} failed: ${describeError(error)}`);
  }
}

/** Runs `work` with pauses of `ms` until the signal. Errors are logged. */
export async function repeat(options: {
  ms: number;
  task: string;
  work: () => Promise<void>;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  log: Log;
}): Promise<void> {
  while (!options.signal.aborted) {
    await runLogged(options.log, options.task, options.work);
    await options.sleep(options.ms, options.signal);
  }
}
