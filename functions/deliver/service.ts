import type { Hono } from 'hono';
import { cronService } from '../_shared/http/cron_service.ts';
import type { Traced } from '../_shared/http/request_tracing.ts';
import type { Log } from '../_shared/log.ts';

export type ServiceParts = {
  log: Log;
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** Sees that deliveries are being sent; false when they already were. */
  start(requestId: string): boolean;
};

/** `POST /deliver` with the platform's `cron` key in `apikey`: see that what is due is sent, and answer at once. */
export function service({ log, cronKey, start }: ServiceParts): Hono<Traced> {
  return cronService({ path: '/deliver', log, cronKey, answer: (requestId) => ({ started: start(requestId) }) });
}
