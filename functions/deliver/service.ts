import { Hono } from 'hono';
import { refusedCaller } from '../_shared/http/cron_key.ts';

export type ServiceParts = {
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** Sees that deliveries are being sent; false when they already were. */
  start(): boolean;
};

/** `POST /deliver` with the platform's `cron` key in `apikey`: see that what is due is sent, and answer at once. */
export function service(parts: ServiceParts): Hono {
  const app = new Hono().basePath('/deliver');
  app.post('/', async (context) => {
    const refused = await refusedCaller(context.req.raw.headers, parts.cronKey);
    return refused ?? context.json({ started: parts.start() }, 202);
  });
  app.all('/', (context) =>
    context.json({ error: 'Only POST is answered here.', code: 'method.not_allowed' }, 405, { allow: 'POST' }),
  );
  app.notFound((context) => context.json({ error: 'There is nothing here.', code: 'not_found' }, 404));
  return app;
}
