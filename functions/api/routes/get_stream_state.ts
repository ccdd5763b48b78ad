import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { streamStateDocs } from '../contract/docs_stream.ts';
import { text } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';

const query = z.object({
  channel: text.min(1).describe('The channel: one of the ticket’s `allowed.channels`.'),
});

/** The state of a channel at an offset, from which a client goes on with the frames after it. */
export const getStreamState: Route = {
  method: 'GET',
  path: '/v1/stream/state',
  docs: streamStateDocs,
  query,
  handle: (c) => respondAction(c, 'get_stream_state', async () => parse(c.req.url), { isLarge: true }),
};

function parse(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  return { params: params ?? {}, issues };
}
