import { toLogText } from './user_error.ts';
/**
 * When a backend dies between two statements of a transaction, postgres 3.4.9 writes to the closed
 * socket and throws from a timer, where no caller can catch it (porsager/postgres 1066, 1208). The
 * transaction has then already failed for its caller. A process that opens a pool for each piece of
 * work, such as the supervisor, loses nothing. A process that keeps its pool should exit and be
 * restarted, because the driver never uses that connection again.
 */
export function isKnownDriverCrash(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.message === "Cannot read properties of null (reading 'write')" &&
    /^\s+at Immediate\.nextWrite \(.*[\\/]node_modules[\\/]postgres[\\/]/m.test(error.stack ?? '')
  );
}

/**
 * Ignores only that error. Any other uncaught exception ends the process, as without this handler.
 */
export function ignoreKnownDriverCrash(): void {
  process.on('uncaughtException', (error) => {
    if (isKnownDriverCrash(error)) return;
    console.error(toLogText(error));
    process.exit(1);
  });
}
