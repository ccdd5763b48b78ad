import type { Route } from '../app_types.ts';
import { getWebhooksDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';

/** The webhook endpoints of the caller's organization, with the state of their deliveries. */
export const getWebhooks: Route = {
  method: 'GET',
  path: '/v1/webhooks',
  docs: getWebhooksDocs,
  handle: (c) => respondAction(c, 'get_endpoints', async () => ({ params: {}, issues: [] })),
};
