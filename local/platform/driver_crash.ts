import { toLogText } from './user_error.ts';
/**
 * postgres 3.4.9 writes to the socket of a connection that is gone when its backend dies between two statements of a transaction, and
 * throws from a timer, where nobody can catch it (porsager/postgres 1066, 1208). By then the transaction has been refused to its caller:
 * whoever opens a pool for each piece of work, as the supervisor does, loses nothing. A process that keeps its pool should rather die and
 * be started again, since the driver never uses that connection for anything more.
 */
export function isKnownDriverCrash(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.message === "Cannot read properties of null (reading 'write')" &&
    /^\s+at Immediate\.nextWrite \(.*[\\/]node_modules[\\/]postgres[\\/]/m.test(error.stack ?? '')
  );
}

/** Goes on after that fault alone: anything else ends the process, as it does without this. */
export function ignoreKnownDriverCrash(): void {
  process.on('uncaughtException', (error) => {
    if (isKnownDriverCrash(error)) return;
    console.error(toLogText(error));
    process.exit(1);
  });
}
