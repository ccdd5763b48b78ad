import type { RouteDocs } from './route_docs.ts';

export const streamTokenDocs: RouteDocs = {
  id: 'create_stream_ticket',
  tag: 'Stream',
  summary: 'Get a ticket for the stream',
  description:
    'A ticket for one connection: send it as `data.t` of the connect command within two minutes. Every tier may create one. Your tier at the time of the connect decides the channels. No body. Counts in the window only.',
  responses: { 200: 'StreamTicket' },
};

export const streamReplayDocs: RouteDocs = {
  id: 'replay_stream',
  tag: 'Stream',
  summary: 'Read the frames of a channel',
  description:
    'Frames after an offset, oldest first, at most 500 or 256 KiB: request again from `offset` until it equals `top`. The publication log covers one hour. `recovered: false` means that the log does not reach back to your offset, or that the epoch changed: read the state again and continue from `epoch` and `offset`. Counts in the window only.',
  responses: { 200: 'StreamReplay' },
  errors: ['channel.not_found'],
};

export const streamStateDocs: RouteDocs = {
  id: 'read_stream_state',
  tag: 'Stream',
  summary: 'Read the state of a channel',
  description:
    'What the channel holds at `offset`, with no delay: apply the frames after that offset to it, and you hold the channel. `markets:all`, `sample` and `candidates:{sport}` hold markets that are not over and their open opportunities, `quotes:all` the last quote of each leg that has a price, `best:all` the last best quotes of each market, `status` the feeds. Send `Accept-Encoding: gzip`. Counts in the window only.',
  responses: { 200: 'StreamState' },
  errors: ['channel.not_found'],
};
