import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { streamReplayDocs } from '../contract/docs_stream.ts';
import { integer, text } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';

const query = z.object({
  channel: text.min(1).describe('The channel: one of the ticket’s `allowed.channels`.'),
  epoch: text.default('').describe('The epoch of your channel position, from a broadcast or a subscription.'),
  after: integer(0, Number.MAX_SAFE_INTEGER, 0).describe('The offset of your last frame; 0: none.'),
});

/** Frames of a channel after an offset. Clients of Realtime fill gaps with it. */
export const getStreamReplay: Route = {
  method: 'GET',
  path: '/v1/stream/replay',
  docs: streamReplayDocs,
  query,
  handle: (c) => respondAction(c, 'get_stream_replay', async () => parse(c.req.url), { renderBody: renderFrames }),
};

function parse(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  return { params: params ?? {}, issues };
}

type ReplayPage = { frames: string[] };

/** The log returns frames as text. They are sent unchanged, so `type` stays the first field. */
async function renderFrames(body: string): Promise<string> {
  const { frames, ...rest } = JSON.parse(body) as ReplayPage;
  return `${JSON.stringify(rest).slice(0, -1)},"frames":[${frames.join(',')}]}`;
}
