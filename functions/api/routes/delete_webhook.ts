import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { deleteWebhookDocs } from '../contract/docs.ts';
import { issue } from '../http/validation.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';

/** Deletes an endpoint of the caller's organization, with its secret and its delivery history. */
export const deleteWebhook: Route = {
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  docs: deleteWebhookDocs,
  handle: (c) => respondAction(c, 'delete_endpoint', async () => parseEndpoint(c.req.param('id') ?? '')),
};

function parseEndpoint(id: string): ParsedRequest {
  if (z.guid().safeParse(id).success) return { params: { id }, issues: [] };
  const problem = issue('uuid_parsing', ['path', 'id'], 'Input should be a valid UUID', id.slice(0, 200));
  return { params: {}, issues: [problem] };
}
