import { z } from 'zod';
import { named, time } from './fields.ts';

const quota = z.int().positive().describe('Requests that it has.');
const used = z.int().nonnegative().describe('Requests used of it, this one counted.');

export const account = named(
  'Account',
  z
    .strictObject({
      organization: z
        .strictObject({ id: z.uuid().describe('Stable.'), name: z.string().describe('What its owners call it.') })
        .describe('Who is limited and billed: every key of it counts together.'),
      tier: z.enum(['free', 'basic', 'premium', 'pro']).describe('What it has subscribed to.'),
      status: z.literal('active').describe('Whether it may call: an inactive plan is a 402 here too.'),
      window: z
        .strictObject({
          quota,
          used,
          seconds: z.literal(60).describe('How long a window lasts, from its first request on.'),
          resets_at: time.describe('When this window ends.'),
        })
        .describe('The running window.'),
      month: z
        .strictObject({
          quota,
          used: z.int().nonnegative().describe('Answers with data so far.'),
          resets_at: time.describe('When the next month begins, UTC.'),
        })
        .describe('The UTC calendar month.'),
      stream_connections: z.int().nonnegative().describe('Connections to the stream at once.'),
      webhook_endpoints: z.int().nonnegative().describe('Webhook endpoints; 0: the tier has none.'),
    })
    .describe('The organization that the key belongs to, what it may use and how much it has.'),
);
