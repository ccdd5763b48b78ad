import { Hono } from 'hono';
import type { Log } from '../log.ts';
import { rejectCaller } from './cron_key.ts';
import { requestTracing, type TracedEnv } from './request_tracing.ts';

export type CronServiceOptions = {
  /** Where the function is, `/ingest`. */
  path: string;
  log: Log;
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** Sees that the work goes on, and says what to answer (202). It must not wait for the work. */
  answer(requestId: string): Record<string, unknown>;
};

/** A function that the platform alone calls: `POST` with its `cron` key in `apikey`, answered at once. Everything else is refused. */
export function cronService(parts: CronServiceOptions): Hono<TracedEnv> {
  const app = new Hono<TracedEnv>();
  app.use('*', requestTracing(parts.log));
  app.post(parts.path, async (context) => {
    const refused = await rejectCaller(context.req.raw.headers, parts.cronKey, context.var.requestId);
    return refused ?? context.json(parts.answer(context.var.requestId), 202);
  });
  app.all(parts.path, (context) =>
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
