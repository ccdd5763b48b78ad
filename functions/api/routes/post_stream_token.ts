import type { Route } from '../app_types.ts';
import { streamTokenDocs } from '../contract/docs_stream.ts';
import { respondAction } from '../respond.ts';
import { renderTicketResponse } from '../stream_token.ts';

/** A ticket for one stream connection, and a token for clients of Realtime. Ignores the body. */
export const postStreamToken: Route = {
  method: 'POST',
  path: '/v1/stream/token',
  docs: streamTokenDocs,
  handle: (c) =>
    respondAction(c, 'post_stream_token', async () => ({ params: {}, issues: [] }), {
      renderBody: (body) => renderTicketResponse(body, c.var.services.stream),
    }),
};
