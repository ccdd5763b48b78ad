import type { Route } from '../app_types.ts';
import { rollWebhookDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';
import { parsePathIds } from '../webhook_path.ts';

/** Gives an endpoint a new secret. Only this response contains it. */
export const postWebhookRoll: Route = {
  method: 'POST',
  path: '/v1/webhooks/:id/roll',
  docs: rollWebhookDocs,
  handle: (c) => respondAction(c, 'roll_secret', async () => parsePathIds({ id: c.req.param('id') })),
};
