// Runs in every function's worker before the function itself: gives it the globals of the hosted edge runtime.

import { toLogText } from '../user_error.ts';
import { denoRuntime } from './runtime.ts';

const deno = denoRuntime();
const pendingWork = new Set<Promise<unknown>>();

Object.assign(globalThis, {
  EdgeRuntime: {
    /** Keeps the worker until `promise` settles, also after the answer was sent. */
    waitUntil<T>(promise: Promise<T>): Promise<T> {
      const settled: Promise<unknown> = promise
        .catch((error: unknown) => console.error(`background work failed: ${toLogText(error)}`))
        .finally(() => pendingWork.delete(settled));
      pendingWork.add(settled);
      return promise;
    },
  },
});

/** Resolves when nothing is left that `waitUntil` was given, also later. */
export async function pendingWorkSettled(): Promise<void> {
  while (pendingWork.size > 0) await Promise.allSettled([...pendingWork]);
}

/** What the hosted runtime tells a worker that must soon go. */
export type Reason = 'cpu' | 'memory' | 'wall_clock' | 'termination';

export function warn(reason: Reason): void {
  globalThis.dispatchEvent(Object.assign(new Event('beforeunload', { cancelable: true }), { detail: { reason } }));
}

// It gives it a moment as well; a signal is how this machine says it.
let isExiting = false;
deno.addSignalListener('SIGTERM', async () => {
  if (isExiting) return;
  isExiting = true;
  warn('termination');
  const patience = new Promise((resolve) => setTimeout(resolve, 2_000));
  await Promise.race([Promise.allSettled([...pendingWork]), patience]);
  deno.exit(0);
});
