import { CpuMeter, processCpu } from '../_shared/cpu.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { surroundings } from '../_shared/runtime.ts';
import { Spending } from './cpu_budget.ts';
import { connect, Doors } from './database.ts';
import { Shift } from './ingest_worker.ts';
import { Isolate } from './isolate.ts';
import { service } from './service.ts';
import { settingsOf } from './settings.ts';
import { openSocket } from './sockets.ts';
import { budgetOf, MEASURED } from './work_limits.ts';

/**
 * The ingest function: pg_cron calls it, it reads both venues in the background for as long as a call may live, and stops in time for its
 * successor to take over. The same shift for ever, without limits: container.ts.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'ingest', least: levelOf(Deno.env.get('LOG_LEVEL')) });

const { cpuSeconds } = settings;
const budget = budgetOf(cpuSeconds !== null);
const meter = new CpuMeter({
  read: processCpu,
  estimate: { bootMs: MEASURED.bootMs, secondMs: MEASURED.secondMs + MEASURED.sliceMs },
  now: surroundings.now,
});
/** The boot is the first shift's; each call has CPU of its own. */
let spentBefore = 0;

function spendingOfShift(): Spending | null {
  if (cpuSeconds === null) return null;
  const spending = new Spending({ meter, cpuSeconds, fromMs: spentBefore, now: surroundings.now });
  spentBefore = meter.usedMs;
  return spending;
}

const isolate = new Isolate({
  wallClockSeconds: settings.wallClockSeconds,
  now: surroundings.now,
  log: log.say,
  make: (endsAt, requestId) => {
    const say = (line: string): void => log.say(line, requestId);
    const doors = new Doors(connect(settings.databaseUrl, say, settings.databaseConnections, requestId));
    const seconds = (endsAt - Date.now()) / 1_000;
    const spending = spendingOfShift();
    const shift = new Shift({
      settings,
      budget,
      doors,
      around: surroundings,
      make: openSocket,
      parsers: async () => (await import('./parsers.ts')).parsers,
      log: say,
      endsAt,
      spending,
    });
    log.write('info', 'shift.began', { ends_in_s: Math.round(seconds) }, requestId);
    return {
      get holds() {
        return shift.holds;
      },
      get endsAt() {
        return shift.endsAt;
      },
      stop: () => shift.stop(),
      async run() {
        await shift.run().finally(() => doors.end());
        const cpu = spending && { cpu_ms: Math.round(spending.usedMs), measured: meter.measures };
        log.write('info', 'shift.ended', { read: shift.trade, ...cpu }, requestId);
      },
    };
  },
});

function start(requestId: string): boolean {
  const running = isolate.start(requestId);
  if (running && typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(running);
  return running !== null;
}

addEventListener('beforeunload', () => isolate.stop());

const app = service({ log, cronKey: settings.cronKey, holds: () => isolate.holds, start });

export default { fetch: app.fetch };
