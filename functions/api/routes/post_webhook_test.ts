import type { Route } from '../app_types.ts';
import { testWebhookDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';
import { parsePathIds } from '../webhook_path.ts';

/** Sends a `ping` to an endpoint, as every delivery is sent. */
export const postWebhookTest: Route = {
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  docs: testWebhookDocs,
  handle: (c) => respondAction(c, 'test_endpoint', async () => parsePathIds({ id: c.req.param('id') })),
};
