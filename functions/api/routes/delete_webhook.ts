import type { Route } from '../app_types.ts';
import { deleteWebhookDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';
import { parsePathIds } from '../webhook_path.ts';

/** Deletes an endpoint of the caller's organization, with its secret and its delivery history. */
export const deleteWebhook: Route = {
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  docs: deleteWebhookDocs,
  handle: (c) => respondAction(c, 'delete_endpoint', async () => parsePathIds({ id: c.req.param('id') })),
};
