import { z } from 'zod';
import { issue } from '../../_shared/http/validation.ts';
import { answerAct, type Parsed } from '../answer.ts';
import { aboutDeleteWebhook } from '../contract/about.ts';
import type { Route } from '../environment.ts';

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
