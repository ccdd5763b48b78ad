import { z } from 'zod';
import { named } from './fields.ts';

const channels = z.array(z.string());

export const streamTicket = named(
  'StreamTicket',
  z
    .strictObject({
      ticket: z.string().describe('Opaque, good for one connection. Send it as `data.t` of the connect command.'),
      ws_url: z.url().describe('URL of the stream, the same for every ticket.'),
      expires_in: z.int().positive().describe('Seconds until the ticket expires.'),
      allowed: z
        .strictObject({
          channels: channels.describe('Channels of your tier. The connect subscribes you to all of them.'),
          max_conns: z.int().nonnegative().describe('Maximum of concurrent connections of your organization.'),
        })
        .describe('Limits of the tier.'),
      realtime: z
        .strictObject({
          url: z.url().describe('For `createClient` of supabase-js.'),
          apikey: z.string().describe('The project’s publishable key.'),
          access_token: z.string().describe('Authorizes the private channels in `topics` only.'),
          expires_in: z
            .int()
            .positive()
            .describe('Seconds until the token expires. Get the next one when fewer than 45 remain.'),
          topics: channels.describe('Private channels to join. Their event is `frames`.'),
        })
        .nullable()
        .describe('For clients that use supabase-js. Null while `max_conns` such tokens are valid.'),
    })
    .describe('A ticket for the stream.'),
);

export const streamReplay = named(
  'StreamReplay',
  z
    .strictObject({
      channel: z.string().describe('The requested channel.'),
      epoch: z.string().describe('Current epoch of the channel. Offsets of another epoch are not comparable.'),
      recovered: z.boolean().describe('Whether `frames` continue your position without a gap.'),
      offset: z
        .int()
        .nonnegative()
        .describe('Offset of the last frame in `frames`; without recovery, the offset to continue from.'),
      top: z.int().nonnegative().describe('Offset of the newest frame.'),
      frames: z.array(z.looseObject({ type: z.string().describe('Type of the frame.') })).describe('Oldest first.'),
    })
    .describe('A page of the publication log of a channel.'),
);
