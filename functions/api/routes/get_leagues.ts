import type { Route } from '../app_types.ts';
import { aboutLeagues } from '../contract/docs.ts';
import { answerData } from '../respond.ts';

// Since interface version 2.0.0, in which /v2/categories came: 2026-11-20T00:00:00Z.
const deprecatedSince = Date.UTC(2026, 10, 20) / 1000;

/** The leagues of each sport. It takes no parameters. It stays for those who use it and says where to go (RFC 9745, RFC 8288). */
export const getLeagues: Route = {
  method: 'GET',
  path: '/v2/leagues',
  about: aboutLeagues,
  async handle(c) {
    const answer = await answerData(c, 'get_leagues', () => ({ params: {}, issues: [] }));
    answer.headers.set('Deprecation', `@${deprecatedSince}`);
    answer.headers.set('Link', '</v2/categories>; rel="successor-version"');
    return answer;
  },
};
