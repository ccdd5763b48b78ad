import { CpuMeter, processCpu, slownessOfMachine } from '../_shared/cpu.ts';
import { cronService } from '../_shared/http/cron_service.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { errorFields } from '../_shared/pool/error_fields.ts';
import { connect, ExportQueries } from './database.ts';
import { Exporter } from './exporter.ts';
import { settingsOf } from './settings.ts';
import { ExportBucket } from './storage.ts';
import { continuationCheck, MEASURED_CPU_MS } from './work_limits.ts';

/**
 * The export function. pg_cron calls it each minute while parts are due (export.wake_if_due). It
 * makes as many as its CPU allows, in the background; the next call makes the others.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'export', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });
const meter = new CpuMeter({
  read: processCpu,
  estimate: MEASURED_CPU_MS,
  now: () => Date.now(),
  slowness: slownessOfMachine,
});
let running: Promise<void> | undefined;

async function run(requestId: string): Promise<void> {
  const note = (line: string): void => log.note(line, requestId);
  const queries = new ExportQueries(connect(settings.databaseUrl, note, requestId));
  const exporter = new Exporter({
    queries: {
      claimPart: async () => {
        const part = await queries.claimPart();
        if (part) meter.charge(MEASURED_CPU_MS.partMs);
        return part;
      },
      recordPart: (part, files) => queries.recordPart(part, files),
      expiredFiles: () => queries.expiredFiles(),
      forgetFiles: (day, paths) => queries.forgetFiles(day, paths),
    },
    bucket: new ExportBucket(settings.storage),
    mayContinue: continuationCheck(meter, settings.cpuSeconds),
    log: note,
  });
  try {
    await exporter.run();
  } catch (error) {
    log.write('error', 'worker.failed', errorFields(error), requestId);
  } finally {
    const cpu = { cpu_ms: Math.round(meter.usedMs), measured: meter.isMeasured };
    log.write('info', 'worker.stopped', { parts: exporter.parts, ...cpu }, requestId);
    await queries.end();
  }
}

function start(requestId: string): boolean {
  if (running) return false;
  running = run(requestId).finally(() => {
    running = undefined;
  });
  if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(running);
  return true;
}

const app = cronService({
  path: '/export',
  log,
  cronKey: settings.cronKey,
  start: (requestId) => ({ started: start(requestId) }),
});

export default { fetch: app.fetch };
