import { createLog, levelOf } from '../_shared/log.ts';
import { systemRuntime } from '../_shared/system_runtime.ts';
import { connect, IngestQueries } from './database.ts';
import { IngestWorker } from './ingest_worker.ts';
import { settingsOf } from './settings.ts';
import { openSocket } from './sockets.ts';
import { workLimitsFor } from './work_limits.ts';

/**
 * `deno task ingest`: the worker of the function without an end and with all shards. SIGTERM and
 * SIGINT stop it in order.
 */

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'ingest', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) }).note;
const queries = new IngestQueries(connect(settings.databaseUrl, log, settings.databaseConnections));
const worker = new IngestWorker({
  settings,
  limits: workLimitsFor(false),
  queries,
  runtime: systemRuntime,
  openSocket,
  parsers: async () => (await import('./parsers.ts')).parsers,
  log,
  endsAt: null,
  budget: null,
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) Deno.addSignalListener(signal, () => worker.stop());
await worker.run();
await queries.end();
Deno.exit(0);
