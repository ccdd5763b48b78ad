import type { Log } from '../log.ts';
import { errorFields } from '../pool/error_fields.ts';

/** The part of `Deno` that a stop needs. */
export type SignalRuntime = {
  addSignalListener(signal: 'SIGTERM' | 'SIGINT', listener: () => void): void;
  exit(code: number): void;
};

/** compose.yaml waits for 30 s (`stop_grace_period`) before it kills the process. */
export const STOP_LIMIT_MS = 25_000;

export type StopOptions = {
  runtime: SignalRuntime;
  log: Log;
  /** Ends all work in order. Called once. */
  stop(): Promise<void>;
  limitMs?: number;
};

/**
 * Ends the process in order at the first SIGTERM or SIGINT, and exits with 0. Later signals change
 * nothing. Where the end takes too long, the process exits with 1: all claims and leases expire, so
 * other processes repeat what it did not finish.
 */
export function stopOnSignal({ runtime, log, stop, limitMs = STOP_LIMIT_MS }: StopOptions): {
  readonly isDraining: boolean;
} {
  let isDraining = false;
  const end = (code: number, fields: Parameters<Log['write']>[2]): void => {
    log.write(code === 0 ? 'info' : 'error', code === 0 ? 'container.stopped' : 'container.stop_failed', fields);
    runtime.exit(code);
  };
  const onSignal = (signal: string): void => {
    log.write('info', 'container.signal', { signal, first: !isDraining });
    if (isDraining) return;
    isDraining = true;
    const startedAt = Date.now();
    setTimeout(() => end(1, { failed: 'the work did not end in time' }), limitMs);
    stop().then(
      () => end(0, { ms: Date.now() - startedAt }),
      (error: unknown) => end(1, errorFields(error)),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) runtime.addSignalListener(signal, () => onSignal(signal));
  return {
    get isDraining() {
      return isDraining;
    },
  };
}

/** Resolves with `work`, or after `limitMs`. Returns whether `work` ended in time. */
export async function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const inTime = await Promise.race([work.then(() => true), timeout]);
  clearTimeout(timer);
  return inTime;
}
