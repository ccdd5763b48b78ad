import type { Route } from '../app_types.ts';
import { aboutGetWebhooks } from '../contract/docs.ts';
import { answerAct } from '../respond.ts';

/** The endpoints of the caller's organization and how they fare. */
export const getWebhooks: Route = {
  method: 'GET',
  path: '/v1/webhooks',
  about: aboutGetWebhooks,
  handle: (c) => answerAct(c, 'get_endpoints', async () => ({ params: {}, issues: [] })),
};
