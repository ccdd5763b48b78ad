import type { Route } from '../app_types.ts';
import { leaguesDocs } from '../contract/docs.ts';
import { respondData } from '../respond.ts';

// API version 2.0.0 added /v2/categories: 2026-11-20T00:00:00Z.
const DEPRECATED_SINCE_S = Date.UTC(2026, 10, 20) / 1000;

/**
 * The leagues of each sport. No parameters. Deprecated; the response names the successor (RFC 9745,
 * RFC 8288).
 */
export const getLeagues: Route = {
  method: 'GET',
  path: '/v2/leagues',
  docs: leaguesDocs,
  async handle(c) {
    const response = await respondData(c, 'get_leagues', () => ({ params: {}, issues: [] }));
    response.headers.set('Deprecation', `@${DEPRECATED_SINCE_S}`);
    response.headers.set('Link', '</v2/categories>; rel="successor-version"');
    return response;
  },
};
