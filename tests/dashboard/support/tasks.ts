import { onTestFinished } from 'vitest';
import { launchChromium } from './chromium.ts';
import { newPage, type Viewport, type WatchedPage } from './page.ts';

/**
 * Opens a page in a Chromium of its own, because a Chromium can record one trace at a time, and the
 * trace has the tasks of all its pages.
 */
export async function openTracedPage(viewport: Viewport): Promise<WatchedPage> {
  const chromium = await launchChromium();
  onTestFinished(() => chromium.close());
  return newPage(viewport, chromium);
}

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** CPU time of the thread in microseconds. */
  tdur?: number;
  args: Record<string, unknown>;
};

/**
 * CPU time in ms of each task of the page's main thread while `run` runs. Wall time would also grow
 * when other processes use the CPU.
 */
async function tasksDuring(page: WatchedPage, run: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['toplevel'] });
  await run();
  const trace: { traceEvents: TraceEvent[] } = JSON.parse(String(await browser?.stopTracing()));
  const main = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  return trace.traceEvents
    .filter(({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && main.has(`${pid}:${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}

/** Work of a fixed size: 50 ms of CPU on the machine of the measurements (28 November 2026). */
const work = `new Promise((done) => setTimeout(() => {
  let value = 1;
  for (let round = 0; round < 3_000_000; round += 1) value = (value * 16_807) % 2_147_483_647;
  done(value);
}))`;

/** `tasks`: how many. `longest` of them and `yardstick`, the work of 50 ms, are in ms of CPU. */
export type TaskTimes = { tasks: number; longest: number; yardstick: number };

/**
 * The tasks of the page while `run` runs, with the yardstick of the same moment. Another process
 * on the same core lengthens a task, so that a task of more than `most` yardsticks counts if it is
 * there in each of three turns.
 */
export async function taskTimes(page: WatchedPage, most: number, run: () => Promise<unknown>): Promise<TaskTimes> {
  await page.evaluate(work);
  let times: TaskTimes = { tasks: 0, longest: Number.POSITIVE_INFINITY, yardstick: 1 };
  for (let turn = 0; turn < 3 && times.longest >= most * times.yardstick; turn += 1) {
    const yardstick = Math.max(...(await tasksDuring(page, () => page.evaluate(work))));
    const tasks = await tasksDuring(page, run);
    times = { tasks: tasks.length, longest: Math.max(...tasks), yardstick };
  }
  return times;
}
