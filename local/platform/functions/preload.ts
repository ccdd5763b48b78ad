// Runs in the worker of every function before the function: defines the globals of the hosted edge
// runtime, and lets Deno.serve listen at DENO_SERVE_ADDRESS, which Deno 2.1 does not read.

import { toLogText } from '../user_error.ts';
import { denoRuntime } from './runtime.ts';

const deno = denoRuntime();
const pendingWork = new Set<Promise<unknown>>();

const serve = deno.serve;
const address = deno.env.get('DENO_SERVE_ADDRESS')?.replace(/^unix:/, '');
deno.serve = (first, second) => {
  const [options, handler] = typeof first === 'function' ? [{}, first] : [first, second];
  return serve(address ? { ...options, path: address } : options, handler);
};

Object.assign(globalThis, {
  EdgeRuntime: {
    /** Keeps the worker until `promise` settles, also after the response. */
    waitUntil<T>(promise: Promise<T>): Promise<T> {
      const settled: Promise<unknown> = promise
        .catch((error: unknown) => console.error(`Background work failed: ${toLogText(error)}`))
        .finally(() => pendingWork.delete(settled));
      pendingWork.add(settled);
      return promise;
    },
  },
});

/** Resolves when all promises passed to `waitUntil` have settled, including later ones. */
export async function pendingWorkSettled(): Promise<void> {
  while (pendingWork.size > 0) await Promise.allSettled([...pendingWork]);
}

/** The reason that the hosted runtime gives a worker before it ends it. */
export type UnloadReason = 'cpu' | 'memory' | 'wall_clock' | 'termination';

export function dispatchBeforeUnload(reason: UnloadReason): void {
  globalThis.dispatchEvent(Object.assign(new Event('beforeunload', { cancelable: true }), { detail: { reason } }));
}

// The hosted runtime also gives the worker some time. On this machine, SIGTERM announces the end.
let isExiting = false;
deno.addSignalListener('SIGTERM', async () => {
  if (isExiting) return;
  isExiting = true;
  dispatchBeforeUnload('termination');
  const patience = new Promise((resolve) => setTimeout(resolve, 2_000));
  await Promise.race([Promise.allSettled([...pendingWork]), patience]);
  deno.exit(0);
});
