import { sameSecret } from '../../_shared/http/cron_key.ts';
import type { Route } from '../app_types.ts';
import { ApiError } from '../http/errors.ts';

/** The type that Prometheus negotiates. The standard prescribes UTF-8. */
const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * Metrics for operators, with METRICS_KEY or CRON_KEY as the bearer token or in the header
 * `apikey`. SQL computes them, so every isolate returns the same values, and no counter falls when
 * an isolate ends.
 */
export const getMetrics: Route = {
  method: 'GET',
  path: '/metrics',
  isPublic: true,
  async handle(c) {
    const given = c.req.header('apikey') ?? /^Bearer (.+)$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    if (!given) throw new ApiError('metrics.missing_key', {}, { 'WWW-Authenticate': 'Bearer' });
    const { metricsKeys, queries } = c.var.services;
    // Compares with every key, so that the time does not reveal which one matched.
    const matches = await Promise.all(metricsKeys.map((key) => sameSecret(given, key)));
    if (!matches.includes(true)) throw new ApiError('metrics.wrong_key');
    const text = await queries.metrics(c.var.requestId);
    return new Response(text, { headers: { 'Content-Type': OPENMETRICS_TYPE, 'Cache-Control': 'no-store' } });
  },
};
