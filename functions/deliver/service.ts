import type { Hono } from 'hono';
import { cronService } from '../_shared/http/cron_service.ts';
import type { TracedEnv } from '../_shared/http/request_tracing.ts';
import type { Log } from '../_shared/log.ts';

export type ServiceOptions = {
  log: Log;
  /** CRON_KEY. Null rejects every caller. */
  cronKey: string | null;
  /** Ensures that a worker runs. Returns false when one was running already. */
  start(requestId: string): boolean;
};

/**
 * `POST /deliver` with the platform's `cron` key in `apikey` ensures that due deliveries are sent,
 * and responds at once.
 */
export function service({ log, cronKey, start }: ServiceOptions): Hono<TracedEnv> {
  return cronService({ path: '/deliver', log, cronKey, start: (requestId) => ({ started: start(requestId) }) });
}
