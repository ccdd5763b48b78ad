import { z } from 'zod';
import { delaySeconds, marketId, named, price } from './fields.ts';

const point = named(
  'HistoryPoint',
  z
    .strictObject({
      t: z.int().describe('The start of the bucket, in milliseconds since 1970 (UTC).'),
      venue_a: price.nullable().describe('Ask of venue_a at `t`, in USD; null without one.'),
      venue_b: price.nullable().describe('Ask of venue_b at `t`, in USD; null without one.'),
      venue_a_bid: price
        .nullable()
        .optional()
        .describe('With `include=bid`: bid of venue_a at `t`, in USD; null without one.'),
      venue_b_bid: price
        .nullable()
        .optional()
        .describe('With `include=bid`: bid of venue_b at `t`, in USD; null without one.'),
      gap_pts: z
        .number()
        .min(0)
        .max(100)
        .nullable()
        .optional()
        .describe('With `include=gap`: difference of the two asks in points; null without one of them.'),
    })
    .describe('Asks of both venues at one time.'),
);

export const history = named(
  'History',
  z
    .strictObject({
      id: marketId.describe('The Market.'),
      bucket_seconds: z.literal([60, 300, 3600]).describe('The width of a bucket.'),
      delay_seconds: delaySeconds,
      from: z.int().describe('Start of the first bucket in the response, in milliseconds since 1970 (UTC).'),
      to: z.int().describe('Start of the last bucket in the response, in milliseconds since 1970 (UTC).'),
      series: z
        .array(
          z.strictObject({
            outcome: z.string().describe('The outcome’s `key`.'),
            name: z.string().describe('The outcome’s name.'),
            points: z.array(point).describe('Oldest first. Points newer than the delay are omitted.'),
          }),
        )
        .describe('One per outcome; empty before the first point.'),
    })
    .describe('The asks of both venues over time.'),
);
