import type { MiddlewareHandler } from 'hono';
import type { Log } from '../log.ts';
import { createLogBrake } from '../log_brake.ts';
import { requestIdOf } from './request_id.ts';

export type TracedEnv = { Variables: { requestId: string } };

/**
 * Gives each request an id, returns it in `X-Request-Id`, and logs each response (warn from 400
 * on). Anyone can cause a 4xx, so it writes one line a second for each status of them.
 */
export function requestTracing(log: Log): MiddlewareHandler<TracedEnv> {
  const logRejected = createLogBrake(log);
  return async (context, next) => {
    const requestId = requestIdOf(context.req.raw.headers);
    context.set('requestId', requestId);
    const startedAt = performance.now();
    await next();
    const { status } = context.res;
    context.res.headers.set('X-Request-Id', requestId);
    const fields = { method: context.req.method, status, ms: Math.round(performance.now() - startedAt) };
    if (status >= 400 && status < 500) logRejected(String(status), 'warn', 'request.completed', fields, requestId);
    else log.write(status >= 500 ? 'warn' : 'debug', 'request.completed', fields, requestId);
  };
}
