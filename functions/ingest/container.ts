import { Health, serveHealth } from '../_shared/container/health.ts';
import { endsWithin, stopOnSignal } from '../_shared/container/stop.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { systemRuntime } from '../_shared/system_runtime.ts';
import { connect, IngestQueries } from './database.ts';
import { IngestWorker } from './ingest_worker.ts';
import { failingConditions } from './readiness.ts';
import { settingsOf } from './settings.ts';
import { openWithNode } from './sockets.ts';
import { workLimitsFor } from './work_limits.ts';

/**
 * `deno task ingest`: the worker of the function without an end. It reads all shards, or with other
 * containers its share of them. SIGTERM and SIGINT stop it in order.
 */

/** Another worker claims within 3 s and reads the books within a few more. */
const HANDOVER_MS = 9_000;
/** A statement of the listings or of the backtest may take longer. Its lease is released then. */
const FINISH_MS = 12_000;

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'ingest', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });
const queries = new IngestQueries(connect(settings.databaseUrl, log.note, settings.databaseConnections));
const worker = new IngestWorker({
  settings,
  limits: workLimitsFor(false),
  queries,
  runtime: systemRuntime,
  openSocket: openWithNode,
  parsers: async () => (await import('./parsers.ts')).parsers,
  log: log.note,
  endsAt: null,
  budget: null,
});
const health = new Health({
  service: 'ingest',
  failing: () =>
    failingConditions(
      { maintainedAt: worker.maintainedAt, pendingSince: worker.flushed.pendingSince },
      systemRuntime.now(),
      (limitMs) => queries.ping(limitMs),
    ),
  isDraining: () => stopping.isDraining,
});
const stopping = stopOnSignal({
  runtime: Deno,
  log,
  async stop() {
    await worker.handOver(HANDOVER_MS);
    worker.stop();
    if (!(await endsWithin(running, FINISH_MS))) await worker.releaseLeases();
    await queries.end();
  },
});
serveHealth(Deno, settings.healthPort, health, log.note);
const running = worker.run();
await running;
