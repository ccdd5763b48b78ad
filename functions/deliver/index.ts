import { CpuMeter, processCpu, slownessOfMachine } from '../_shared/cpu.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { errorFields } from '../_shared/pool/error_fields.ts';
import { connect, DeliveryQueries } from './database.ts';
import { DeliveryWorker } from './delivery_worker.ts';
import { denoNetwork } from './network.ts';
import { Sender } from './sender.ts';
import { service } from './service.ts';
import { settingsOf } from './settings.ts';
import { cpuExhaustedCheck, MEASURED_CPU_MS, workLimitsFor } from './work_limits.ts';

/**
 * The deliver function. The database calls it when a delivery is due (webhook.wake_sender); pg_cron
 * calls it in case that call was lost. It sends in the background and stops before the platform
 * ends it. container.ts runs the same worker without limits.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'deliver', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });
const network = denoNetwork(settings.ca);
const workers = new Set<DeliveryWorker>();
const bootedAt = Date.now();
const meter = new CpuMeter({
  read: processCpu,
  estimate: MEASURED_CPU_MS,
  now: () => Date.now(),
  slowness: slownessOfMachine,
});
/** CPU of the isolate when the current run began. The boot counts for the first run. */
let cpuUsedBefore = 0;

function start(requestId: string): boolean {
  const running = [...workers].find((worker) => !worker.isEnding);
  if (running) {
    running.wake();
    return false;
  }
  const note = (line: string): void => log.note(line, requestId);
  const onQuery = (): void => meter.charge(MEASURED_CPU_MS.queryMs);
  const queries = new DeliveryQueries(
    connect(settings.databaseUrl, note, settings.databaseConnections, requestId, onQuery),
  );
  const lifetimeMs = settings.wallClockSeconds * 1_000;
  // The platform counts from the start of the isolate. Without a limit, a full run begins all the
  // same.
  const endsAt = bootedAt + lifetimeMs - Date.now() > 30_000 ? bootedAt + lifetimeMs : Date.now() + lifetimeMs;
  const filterPublicAddresses = (addresses: readonly string[]) => queries.filterPublicAddresses(addresses);
  const sender = new Sender({ network, filterPublicAddresses, timeoutMs: 5_000 });
  const limits = workLimitsFor(settings.cpuSeconds, (endsAt - Date.now()) / 1_000);
  const isCpuExhausted = cpuExhaustedCheck(meter, settings.cpuSeconds, cpuUsedBefore);
  cpuUsedBefore = meter.usedMs;
  const attempt: Sender['attempt'] = (one) => {
    meter.charge(MEASURED_CPU_MS.attemptMs);
    return sender.attempt(one);
  };
  const worker = new DeliveryWorker({ queries, attempt, limits, endsAt, isCpuExhausted, log: note });
  log.write('info', 'worker.started', { ends_in_s: Math.round((endsAt - Date.now()) / 1_000) }, requestId);
  workers.add(worker);
  const run = worker
    .run()
    .catch((error) => log.write('error', 'worker.failed', errorFields(error), requestId))
    .finally(() => {
      const cpu = { cpu_ms: Math.round(meter.usedMs), measured: meter.isMeasured };
      log.write('info', 'worker.stopped', cpu, requestId);
      workers.delete(worker);
      return queries.end();
    });
  if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(run);
  return true;
}

addEventListener('beforeunload', () => {
  for (const shift of workers) shift.stop();
});

const app = service({ log, cronKey: settings.cronKey, start });

export default { fetch: app.fetch };
