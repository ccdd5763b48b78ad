import { Hono } from 'hono';
import { refusedCaller } from '../_shared/http/cron_key.ts';

export type ServiceParts = {
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** The leases that this isolate holds. */
  holds(): string[];
  /** Begins a shift; false when one runs that goes on. */
  start(): boolean;
};

/** `POST /ingest` with the platform's `cron` key in `apikey`: see that this isolate reads, and answer at once. */
export function service(parts: ServiceParts): Hono {
  const app = new Hono().basePath('/ingest');
  app.post('/', async (context) => {
    const refused = await refusedCaller(context.req.raw.headers, parts.cronKey);
    return refused ?? context.json({ started: parts.start(), holds: parts.holds() }, 202);
  });
  app.all('/', (context) =>
    context.json({ error: 'Only POST is answered here.', code: 'method.not_allowed' }, 405, { allow: 'POST' }),
  );
  app.notFound((context) => context.json({ error: 'There is nothing here.', code: 'not_found' }, 404));
  return app;
}
