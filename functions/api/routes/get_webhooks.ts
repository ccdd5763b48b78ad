import { answerAct } from '../answer.ts';
import { aboutGetWebhooks } from '../contract/about.ts';
import type { Route } from '../environment.ts';

/** The endpoints of the caller's organization and how they fare. */
export const getWebhooks: Route = {
  method: 'GET',
  path: '/v1/webhooks',
  about: aboutGetWebhooks,
  handle: (c) => answerAct(c, 'get_endpoints', async () => ({ params: {}, issues: [] })),
};
