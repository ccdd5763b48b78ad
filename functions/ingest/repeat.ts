import { describeError } from '../_shared/pool/error_fields.ts';

type Log = (line: string) => void;

/** Runs `work`. An error is logged and not thrown: the next run tries again. */
export async function runLogged(log: Log, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log(`${what}: ${describeError(error)}`);
  }
}

/** Runs `work` with pauses of `ms` until the signal. Logs errors. */
export async function repeat(options: {
  ms: number;
  what: string;
  work: () => Promise<void>;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  log: Log;
}): Promise<void> {
  while (!options.signal.aborted) {
    await runLogged(options.log, options.what, options.work);
    await options.sleep(options.ms, options.signal);
  }
}
