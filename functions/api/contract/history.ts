import { z } from 'zod';
import { delaySeconds, marketId, named, price } from './fields.ts';

const point = named(
  'HistoryPoint',
  z
    .strictObject({
      t: z.int().describe('The start of the bucket, in milliseconds since 1970 (UTC).'),
      venue_a: price.nullable().describe('venue_a’s ask that was current at `t`, in USD; null without one.'),
      venue_b: price.nullable().describe('venue_b’s ask that was current at `t`, in USD; null without one.'),
    })
    .describe('Both asks at one moment.'),
);

export const history = named(
  'History',
  z
    .strictObject({
      id: marketId.describe('The Market.'),
      bucket_seconds: z.literal(60).describe('The width of a bucket.'),
      delay_seconds: delaySeconds,
      from: z.int().describe('The first bucket that the answer spans, in milliseconds since 1970 (UTC).'),
      to: z.int().describe('The last bucket that the answer spans, in milliseconds since 1970 (UTC).'),
      series: z
        .array(
          z.strictObject({
            outcome: z.string().describe('The outcome’s `key`.'),
            name: z.string().describe('The outcome’s name.'),
            points: z.array(point).describe('Oldest first; what is newer than the delay is left out.'),
          }),
        )
        .describe('One an outcome; empty while nothing has been sampled.'),
    })
    .describe('The asks of both venues over time.'),
);
