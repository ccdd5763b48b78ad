import { describeError } from '../_shared/pool/error_fields.ts';

type Log = (line: string) => void;

/**
 * Runs `work`. Errors are logged and not thrown, because the next run tries again. Resolves to
 * whether it succeeded.
 */
export async function runLogged(log: Log, task: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log(`${task} failed: ${describeError(error)}`);
    return false;
  }
}

/** Runs `work` with pauses of `ms` until the signal. Errors are logged. */
export async function repeat(options: {
  ms: number;
  /** The pause after a failure, by default `ms`. */
  retryMs?: number | undefined;
  task: string;
  work: () => Promise<void>;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  log: Log;
}): Promise<void> {
  while (!options.signal.aborted) {
    const succeeded = await runLogged(options.log, options.task, options.work);
    await options.sleep(succeeded ? options.ms : (options.retryMs ?? options.ms), options.signal);
  }
}
