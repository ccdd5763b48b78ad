import { z } from 'zod';
import { named, time } from './fields.ts';

const feed = named(
  'Feed',
  z
    .strictObject({
      state: z
        .enum(['up', 'stale', 'down', 'unknown'])
        .describe(
          '`up`: a message within the last minute. `stale`: no message for a minute, no sign of life for 20 seconds, or no worker reads its order books. `down`: no sign of life for 30 seconds; its prices are void. `unknown`: no database.',
        ),
      source: z
        .enum(['live', 'simulated', 'replay'])
        .nullable()
        .describe('Source of the data: the live venue, a simulation or a replay.'),
      last_message_at: time.nullable().describe('Time of the last message; null where it is unknown.'),
      detail: z
        .string()
        .nullable()
        .describe(
          'How the order books are read, and what limits it, separated by commas: `websocket` or `polling`; `key refused (401)`, `single books`, `venue paused`, `index 2 paused`. Null where it is unknown.',
        ),
    })
    .describe('State of the feed of one venue.'),
);

export const health = named(
  'Health',
  z
    .strictObject({
      status: z.enum(['ok', 'degraded']).describe('`degraded`: no database, or a venue is not `up`.'),
      version: z.string().describe('Version of the API.'),
      time: time.describe('Market time. A simulation or a replay has its own.'),
      venues: z.strictObject({ venue_a: feed, venue_b: feed }).describe('State of the feed of each venue.'),
    })
    .describe('State of the service and its feeds.'),
);
