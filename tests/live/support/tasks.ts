import type { TraceEvent } from '../../dashboard/support/chromium.ts';

/**
 * How long each task of the page's main thread took, in milliseconds of its own time: a machine with other work on it makes tasks last
 * longer, not larger.
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
