import { internalRoutes, routes } from '../../../functions/api/app.ts';
import { idOf, uuidOf } from './catalog.ts';

/** Every route, those of operators and Centrifugo too, with its name in docs/deploy.md. */
export const everyRoute = [...routes, ...internalRoutes].map(
  (route) => [`${route.method} ${route.path}`, route] as const,
);

const queries: Record<string, string> = {
  '/v2/search': '?q=title',
  '/v2/lookup': '?id=x',
  '/v1/stream/replay': '?channel=status',
  '/v1/stream/state': '?channel=status',
};
const bodies: Record<string, object> = {
  '/v2/report-bad-arb': { reason: 'a test' },
  '/v2/mcp/': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  '/internal/stream/connect': { client: uuidOf(1) },
  '/internal/stream/refresh': { client: uuidOf(1) },
  '/v1/webhooks': { url: 'https://8.8.8.8/in', events: ['pair.created'] },
};

/** Centrifugo: its nodes have no key, but a secret. */
export const carrier = {
  proxySecret: 'a secret of the nodes, of 32 characters or more',
  apiKey: 'a key of the server API, of 32 characters',
  nodes: [],
};

/**
 * Sends a valid request of a route. Only the routes of an endpoint (`:id`) and of a day find
 * nothing.
 */
export function callRoute(base: string, method: string, path: string, secret: string | null): Promise<Response> {
  const url =
    path
      .replace(':day', '2026-11-01')
      .replace(':market_id', idOf(1))
      .replace(':id', uuidOf(1))
      .replace(':delivery_id', uuidOf(1)) + (queries[path] ?? '');
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...(secret === null ? {} : { Authorization: `Bearer ${secret}`, 'X-Stream-Proxy': secret }),
    'X-Stream-Node': 'node-1',
  };
  const body = method === 'POST' || method === 'PATCH' ? JSON.stringify(bodies[path] ?? {}) : null;
  return fetch(`${base}${url}`, { method, headers, body });
}
