import type { MiddlewareHandler } from 'hono';
import type { Log } from '../log.ts';
import { requestIdOf } from './request_id.ts';

export type TracedEnv = { Variables: { requestId: string } };

/** Gives each request its id, gives it back as `X-Request-Id`, and writes one line when it is answered (level debug, warn from 400 on). */
export function requestTracing(log: Log): MiddlewareHandler<TracedEnv> {
  return async (context, next) => {
    const requestId = requestIdOf(context.req.raw.headers);
    context.set('requestId', requestId);
    const began = performance.now();
    await next();
    const { status } = context.res;
    context.res.headers.set('X-Request-Id', requestId);
    const fields = { method: context.req.method, status, ms: Math.round(performance.now() - began) };
    log.write(status >= 400 ? 'warn' : 'debug', 'request.done', fields, requestId);
  };
}
