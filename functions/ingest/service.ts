import type { Hono } from 'hono';
import { cronService } from '../_shared/http/cron_service.ts';
import type { TracedEnv } from '../_shared/http/request_tracing.ts';
import type { Log } from '../_shared/log.ts';

export type ServiceOptions = {
  log: Log;
  /** CRON_KEY. Null rejects every caller. */
  cronKey: string | null;
  /** The leases that this isolate holds. */
  heldLeases(): string[];
  /** Starts a worker run. Returns false when a run goes on that is not about to end. */
  start(requestId: string): boolean;
};

/**
 * `POST /ingest` with the platform's `cron` key in `apikey`: starts a worker run if none goes on,
 * and answers at once.
 */
export function service({ log, cronKey, heldLeases, start }: ServiceOptions): Hono<TracedEnv> {
  return cronService({
    path: '/ingest',
    log,
    cronKey,
    start: (requestId) => ({ started: start(requestId), holds: heldLeases() }),
  });
}
