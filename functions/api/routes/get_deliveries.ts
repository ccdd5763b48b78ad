import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { deliveriesDocs } from '../contract/docs.ts';
import { choice, integer } from '../http/parameters.ts';
import { issue } from '../http/validation.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';
import { DELIVERY_STATES } from '../vocabulary.ts';
import { parsePathIds } from '../webhook_path.ts';

const query = z.object({
  state: choice(DELIVERY_STATES).optional().describe('Only deliveries in this state.'),
  limit: integer(1, 100, 50),
  cursor: z
    .string()
    .max(400)
    .optional()
    .describe('The `next_cursor` of the previous page, with the same `state`. It works for seven days.'),
});

/** The delivery history of an endpoint, newest first. */
export const getDeliveries: Route = {
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  docs: deliveriesDocs,
  query,
  handle: (c) => respondAction(c, 'get_deliveries', async () => parseDeliveries(c.req.param('id'), c.req.url)),
};

function parseDeliveries(id: string | undefined, url: string): ParsedRequest {
  const ids = parsePathIds({ id });
  const { params, issues } = parseQuery(query, url);
  const cursor = params?.cursor;
  if (cursor !== undefined && !z.guid().safeParse(cursor).success) {
    issues.push(issue('uuid_parsing', ['query', 'cursor'], 'Input should be a next_cursor', cursor.slice(0, 200)));
  }
  return { params: { ...ids.params, ...params }, issues: [...ids.issues, ...issues] };
}
