import { Health, serveHealth } from '../_shared/container/health.ts';
import { stopOnSignal } from '../_shared/container/stop.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { connect, DeliveryQueries } from './database.ts';
import { DeliveryWorker } from './delivery_worker.ts';
import { denoNetwork } from './network.ts';
import { failingConditions } from './readiness.ts';
import { Sender } from './sender.ts';
import { settingsOf } from './settings.ts';
import { workLimitsFor } from './work_limits.ts';

/**
 * `deno task deliver`: runs the delivery worker without a time limit. SIGTERM and SIGINT stop it in
 * order. If it is killed, its claims expire and the deliveries are made again.
 */

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'deliver', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });
const queries = new DeliveryQueries(connect(settings.databaseUrl, log.note, settings.databaseConnections));
const network = denoNetwork(settings.ca);
const sender = new Sender({
  network,
  filterPublicAddresses: (all) => queries.filterPublicAddresses(all),
  timeoutMs: 5_000,
});
const worker = new DeliveryWorker({
  queries,
  attempt: (attempt) => sender.attempt(attempt),
  limits: { ...workLimitsFor(null, 0), idleMs: Number.POSITIVE_INFINITY },
  endsAt: Number.POSITIVE_INFINITY,
  isCpuExhausted: () => false,
  log: log.note,
});
const health = new Health({
  service: 'deliver',
  failing: () => failingConditions(worker.claimedAt, Date.now(), (limitMs) => queries.ping(limitMs)),
  isDraining: () => stopping.isDraining,
});
const stopping = stopOnSignal({
  runtime: Deno,
  log,
  async stop() {
    worker.stop();
    await running;
    await queries.end();
  },
});
serveHealth(Deno, settings.healthPort, health, log.note);
const running = worker.run();
await running;
