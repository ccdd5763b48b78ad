import { createLog, levelOf } from '../_shared/log.ts';
import { connect, DeliveryQueries } from './database.ts';
import { DeliveryWorker } from './delivery_worker.ts';
import { denoNetwork } from './network.ts';
import { Sender } from './sender.ts';
import { settingsOf } from './settings.ts';
import { workLimitsFor } from './work_limits.ts';

/**
 * `deno task deliver`: runs the delivery worker without a time limit. SIGTERM and SIGINT stop it in
 * order. If it is killed, its claims expire and the deliveries are made again.
 */

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'deliver', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) }).note;
const queries = new DeliveryQueries(connect(settings.databaseUrl, log, settings.databaseConnections));
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
  log,
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) Deno.addSignalListener(signal, () => worker.stop());
await worker.run();
await queries.end();
Deno.exit(0);
