import { CpuMeter, processCpu, slownessOfMachine } from '../_shared/cpu.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { systemRuntime } from '../_shared/system_runtime.ts';
import { CpuBudget } from './cpu_budget.ts';
import { connect, IngestQueries } from './database.ts';
import { IngestWorker } from './ingest_worker.ts';
import { Isolate } from './isolate.ts';
import { service } from './service.ts';
import { settingsOf } from './settings.ts';
import { openSocket, openWithNode } from './sockets.ts';
import { MEASURED_CPU_MS, workLimitsFor } from './work_limits.ts';

/**
 * The ingest function. pg_cron calls it. It reads both venues in the background for as long as a
 * call may live, and stops in time for its successor to take over. container.ts runs the same
 * worker without an end and without limits.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'ingest', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });

const { cpuSeconds } = settings;
const limits = workLimitsFor(cpuSeconds !== null);
const meter = new CpuMeter({
  read: processCpu,
  estimate: { bootMs: MEASURED_CPU_MS.bootMs, secondMs: MEASURED_CPU_MS.secondMs + MEASURED_CPU_MS.shardMs },
  now: systemRuntime.now,
  slowness: slownessOfMachine,
});
/**
 * CPU that earlier workers used. Each call has its own limit; the boot counts for the first one.
 */
let usedBeforeMs = 0;

function nextBudget(): CpuBudget | null {
  if (cpuSeconds === null) return null;
  const budget = new CpuBudget({ meter, cpuSeconds, fromMs: usedBeforeMs, now: systemRuntime.now });
  usedBeforeMs = meter.usedMs;
  return budget;
}

const isolate = new Isolate({
  wallClockSeconds: settings.wallClockSeconds,
  now: systemRuntime.now,
  log: log.note,
  createRun: (endsAt, requestId) => {
    const note = (line: string): void => log.note(line, requestId);
    const onQuery = (): void => meter.charge(MEASURED_CPU_MS.queryMs);
    const queries = new IngestQueries(
      connect(settings.databaseUrl, note, settings.databaseConnections, requestId, onQuery),
    );
    const seconds = (endsAt - Date.now()) / 1_000;
    const budget = nextBudget();
    const worker = new IngestWorker({
      settings,
      limits,
      queries,
      runtime: systemRuntime,
      openSocket: budget ? openSocket : openWithNode,
      parsers: async () => (await import('./parsers.ts')).parsers,
      log: note,
      endsAt,
      budget,
    });
    log.write('info', 'worker.started', { ends_in_s: Math.round(seconds) }, requestId);
    return {
      get heldLeases() {
        return worker.heldLeases;
      },
      get endsAt() {
        return worker.endsAt;
      },
      stop: () => worker.stop(),
      async run() {
        await worker.run().finally(() => queries.end());
        const cpu = budget && { cpu_ms: Math.round(budget.usedMs), measured: meter.isMeasured };
        log.write('info', 'worker.stopped', { read: worker.role, ...cpu }, requestId);
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

const app = service({ log, cronKey: settings.cronKey, heldLeases: () => isolate.heldLeases, start });

export default { fetch: app.fetch };
