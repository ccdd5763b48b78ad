import { sameSecret } from '../../_shared/http/cron_key.ts';
import type { Route } from '../app_types.ts';
import { ApiError } from '../http/errors.ts';

/** What Prometheus negotiates; the text is UTF-8 by the standard. */
const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * The operators' figures, for a secret key of the platform in the header `apikey` and for nobody else. They come out of SQL, so every
 * isolate tells the same and a counter never falls because one was taken away.
 */
export const getMetrics: Route = {
  method: 'GET',
  path: '/metrics',
  isPublic: true,
  async handle(c) {
    const given = c.req.header('apikey');
    if (!given) throw new ApiError('metrics.missing_key', {}, { 'WWW-Authenticate': 'apikey' });
    const { metricsKeys, queries } = c.var.services;
    // All are compared: which of them it was does not show in the time either.
    const same = await Promise.all(metricsKeys.map((key) => sameSecret(given, key)));
    if (!same.includes(true)) throw new ApiError('metrics.wrong_key');
    const text = await queries.metrics(c.var.requestId);
    return new Response(text, { headers: { 'Content-Type': OPENMETRICS_TYPE, 'Cache-Control': 'no-store' } });
  },
};
