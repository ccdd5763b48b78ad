import type { Route } from '../app_types.ts';
import { leaguesDocs } from '../contract/docs.ts';
import { respondData } from '../respond.ts';

// Since interface version 2.0.0, in which /v2/categories came: 2026-11-20T00:00:00Z.
const DEPRECATED_SINCE_S = Date.UTC(2026, 10, 20) / 1000;

/** The leagues of each sport. It takes no parameters. It stays for those who use it and says where to go (RFC 9745, RFC 8288). */
export const getLeagues: Route = {
  method: 'GET',
  path: '/v2/leagues',
  docs: leaguesDocs,
  async handle(c) {
    const answer = await respondData(c, 'get_leagues', () => ({ params: {}, issues: [] }));
    answer.headers.set('Deprecation', `@${DEPRECATED_SINCE_S}`);
    answer.headers.set('Link', '</v2/categories>; rel="successor-version"');
    return answer;
  },
};
