import type { RouteDocs } from './route_docs.ts';

export const streamTokenDocs: RouteDocs = {
  id: 'create_stream_ticket',
  tag: 'Stream',
  summary: 'Get a ticket for the stream',
  description:
    'A ticket for one connection: put it in the connect command’s `data.t` within two minutes. Every tier may have one; which channels you hear is decided when you connect, by the tier that you have then. No body. Counts in the window and takes nothing of the month.',
  responses: { 200: 'StreamTicket' },
};

export const streamReplayDocs: RouteDocs = {
  id: 'replay_stream',
  tag: 'Stream',
  summary: 'Read what a channel said',
  description:
    'Frames after an offset, oldest first, at most 500 or 256 KiB: ask again from `offset` until it is `top`. The log is an hour long. `recovered: false` means that it does not reach back or that the epoch is another: read the state anew and go on from `epoch` and `offset`. Counts in the window and takes nothing of the month.',
  responses: { 200: 'StreamReplay' },
  errors: ['channel.not_found'],
};
