import { z } from 'zod';
import { named } from './fields.ts';

const channels = z.array(z.string());

export const streamTicket = named(
  'StreamTicket',
  z
    .strictObject({
      ticket: z.string().describe('Opaque, good for one connection. Goes into the connect command’s `data.t`.'),
      ws_url: z.url().describe('Where to connect, the same for every ticket.'),
      expires_in: z.int().positive().describe('Seconds until the ticket opens nothing any more.'),
      allowed: z
        .strictObject({
          channels: channels.describe('What your tier hears now. You are subscribed to all of them when you connect.'),
          max_conns: z.int().nonnegative().describe('Connections that your organization may have at once.'),
        })
        .describe('What the tier allows.'),
      realtime: z
        .strictObject({
          url: z.url().describe('For `createClient` of supabase-js.'),
          apikey: z.string().describe('The project’s publishable key.'),
          access_token: z.string().describe('Opens the private channels `topics`, and nothing else.'),
          expires_in: z.int().positive().describe('Seconds. Get the next when fewer than 45 are left.'),
          topics: channels.describe('Private channels to join; event `frames`.'),
        })
        .nullable()
        .describe('For those who listen with supabase-js. Null while `max_conns` such tokens are alive.'),
    })
    .describe('A way into the stream.'),
);

export const streamReplay = named(
  'StreamReplay',
  z
    .strictObject({
      channel: z.string().describe('As asked.'),
      epoch: z.string().describe('The channel’s epoch now. Offsets of another mean nothing.'),
      recovered: z.boolean().describe('Whether `frames` follow on what you have without a gap.'),
      offset: z.int().nonnegative().describe('Of the last of `frames`; where nothing was recovered, where to go on.'),
      top: z.int().nonnegative().describe('Of the newest frame that there is.'),
      frames: z.array(z.looseObject({ type: z.string().describe('What the frame tells.') })).describe('Oldest first.'),
    })
    .describe('A part of a channel’s log.'),
);
