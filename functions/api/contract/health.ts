import { z } from 'zod';
import { named, time } from './fields.ts';

const feed = named(
  'Feed',
  z
    .strictObject({
      state: z
        .enum(['up', 'stale', 'down', 'unknown'])
        .describe(
          '`up`: news within the last minute. `stale`: connected, no news. `down`: its prices are withheld. `unknown`: no database.',
        ),
      source: z.enum(['live', 'simulated', 'replay']).nullable().describe('Whether what is read is the real market.'),
      last_message_at: time.nullable().describe('When it was last heard.'),
    })
    .describe('How one venue is being read.'),
);

export const health = named(
  'Health',
  z
    .strictObject({
      status: z.enum(['ok', 'degraded']).describe('`degraded`: no database, or a venue is down or was never heard.'),
      version: z.string().describe('Of this interface.'),
      time: time.describe('Market time: of a simulated or replayed market, its own.'),
      venues: z.strictObject({ venue_a: feed, venue_b: feed }).describe('How each is being read.'),
    })
    .describe('Whether what the service says is fresh.'),
);
