import { Hono } from 'hono';
import type { Log } from '../log.ts';
import { rejectCaller } from './cron_key.ts';
import { requestTracing, type TracedEnv } from './request_tracing.ts';

export type CronServiceOptions = {
  /** Path of the function, such as `/ingest`. */
  path: string;
  log: Log;
  /** CRON_KEY; null rejects every caller. */
  cronKey: string | null;
  /**
   * Starts the work where none runs, and returns the body of the 202. It must not wait for the
   * work.
   */
  start(requestId: string): Record<string, unknown>;
};

/**
 * A function that only the platform calls: `POST` with CRON_KEY in `x-cron-key`, answered
 * at once. Every other call is rejected.
 */
export function cronService(options: CronServiceOptions): Hono<TracedEnv> {
  const app = new Hono<TracedEnv>();
  app.use('*', requestTracing(options.log));
  app.post(options.path, async (context) => {
    const rejection = await rejectCaller(context.req.raw.headers, options.cronKey, context.var.requestId);
    return rejection ?? context.json(options.start(context.var.requestId), 202);
  });
  app.all(options.path, (context) =>
    context.json(
      { error: 'This path accepts POST only.', code: 'method.not_allowed', request_id: context.var.requestId },
      405,
      { allow: 'POST' },
    ),
  );
  app.notFound((context) =>
    context.json({ error: 'There is no such path.', code: 'not_found', request_id: context.var.requestId }, 404),
  );
  return app;
}
