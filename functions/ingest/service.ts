import type { Hono } from 'hono';
import { cronService } from '../_shared/http/cron_service.ts';
import type { TracedEnv } from '../_shared/http/request_tracing.ts';
import type { Log } from '../_shared/log.ts';

export type ServiceOptions = {
  log: Log;
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** The leases that this isolate holds. */
  heldLeases(): string[];
  /** Begins a shift; false when one runs that goes on. */
  start(requestId: string): boolean;
};

/** `POST /ingest` with the platform's `cron` key in `apikey`: see that this isolate reads, and answer at once. */
export function service({ log, cronKey, heldLeases, start }: ServiceOptions): Hono<TracedEnv> {
  return cronService({
    path: '/ingest',
    log,
    cronKey,
    start: (requestId) => ({ started: start(requestId), holds: heldLeases() }),
  });
}
