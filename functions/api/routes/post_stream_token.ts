import type { Route } from '../app_types.ts';
import { aboutStreamToken } from '../contract/docs_stream.ts';
import { answerAct } from '../respond.ts';
import { ticketAnswer } from '../stream_token.ts';

/** A ticket for one connection to the stream, and a token for those who listen to Realtime themselves. A body is not looked at. */
export const postStreamToken: Route = {
  method: 'POST',
  path: '/v1/stream/token',
  about: aboutStreamToken,
  handle: (c) =>
    answerAct(c, 'post_stream_token', async () => ({ params: {}, issues: [] }), {
      finish: (body) => ticketAnswer(body, c.var.services.stream),
    }),
};
