import type { TraceEvent } from '../../dashboard/support/chromium.ts';

/**
 * CPU time in ms of each task of the page's main thread. Wall time would also grow when other
 * processes use the CPU.
 */
export function mainThreadTasks(trace: readonly TraceEvent[]): number[] {
  const main = new Set(
    trace
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  return trace
    .filter(({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && main.has(`${pid}:${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}
