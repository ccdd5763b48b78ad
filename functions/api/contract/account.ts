import { z } from 'zod';
import { named, time } from './fields.ts';

const quota = z.int().positive().describe('Requests that the limit allows.');
const used = z.int().nonnegative().describe('Requests used, this one included.');

export const account = named(
  'Account',
  z
    .strictObject({
      organization: z
        .strictObject({
          id: z.uuid().describe('Stable.'),
          name: z.string().describe('The name that its owners chose.'),
        })
        .describe('The organization of the key. All its keys count together.'),
      tier: z.enum(['free', 'basic', 'premium', 'pro']).describe('Its tier.'),
      status: z.literal('active').describe('Always `active`: with an inactive plan this route returns 402.'),
      window: z
        .strictObject({
          quota,
          used,
          seconds: z.literal(60).describe('Length of a window, from its first request.'),
          resets_at: time.describe('End of this window.'),
        })
        .describe('The current rate-limit window.'),
      month: z
        .strictObject({
          quota,
          used: z.int().nonnegative().describe('Responses with data so far.'),
          resets_at: time.describe('Start of the next month, UTC.'),
        })
        .describe('The UTC calendar month.'),
      stream_connections: z.int().nonnegative().describe('Maximum of concurrent stream connections.'),
      webhook_endpoints: z.int().nonnegative().describe('Maximum of webhook endpoints; 0: the tier includes none.'),
    })
    .describe('The organization of the key, its limits and its use.'),
);
