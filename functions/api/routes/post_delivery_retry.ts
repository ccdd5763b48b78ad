import type { Route } from '../app_types.ts';
import { retryDeliveryDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';
import { parsePathIds } from '../webhook_path.ts';

/** Sends a failed or dropped delivery again, with its id and its body. */
export const postDeliveryRetry: Route = {
  method: 'POST',
  path: '/v1/webhooks/:id/deliveries/:delivery_id/retry',
  docs: retryDeliveryDocs,
  handle: (c) =>
    respondAction(c, 'retry_delivery', async () =>
      parsePathIds({ id: c.req.param('id'), delivery_id: c.req.param('delivery_id') }),
    ),
};
