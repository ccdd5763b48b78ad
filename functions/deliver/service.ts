import { Hono } from 'hono';
import { refusedCaller } from '../_shared/http/cron_key.ts';
import { type Traced, traced } from '../_shared/http/traced.ts';
import type { Log } from '../_shared/log.ts';

export type ServiceParts = {
  log: Log;
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** Sees that deliveries are being sent; false when they already were. */
  start(requestId: string): boolean;
};

/** `POST /deliver` with the platform's `cron` key in `apikey`: see that what is due is sent, and answer at once. */
export function service(parts: ServiceParts): Hono<Traced> {
  const app = new Hono<Traced>().basePath('/deliver');
  app.use('*', traced(parts.log));
  app.post('/', async (context) => {
    const refused = await refusedCaller(context.req.raw.headers, parts.cronKey, context.var.requestId);
    return refused ?? context.json({ started: parts.start(context.var.requestId) }, 202);
  });
  app.all('/', (context) =>
    context.json(
      { error: 'Only POST is answered here.', code: 'method.not_allowed', request_id: context.var.requestId },
      405,
      { allow: 'POST' },
    ),
  );
  app.notFound((context) =>
    context.json({ error: 'There is nothing here.', code: 'not_found', request_id: context.var.requestId }, 404),
  );
  return app;
}
