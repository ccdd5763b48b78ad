import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { aboutDeleteWebhook } from '../contract/docs.ts';
import { issue } from '../http/validation.ts';
import type { Parsed } from '../parsed.ts';
import { answerAct } from '../respond.ts';

/** Removes an endpoint of the caller's organization, with its secret and its deliveries. */
export const deleteWebhook: Route = {
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  about: aboutDeleteWebhook,
  handle: (c) => answerAct(c, 'delete_endpoint', async () => parseEndpoint(c.req.param('id') ?? '')),
};

function parseEndpoint(id: string): Parsed {
  if (z.guid().safeParse(id).success) return { params: { id }, issues: [] };
  const wrong = issue('uuid_parsing', ['path', 'id'], 'Input should be a valid UUID', id.slice(0, 200));
  return { params: {}, issues: [wrong] };
}
