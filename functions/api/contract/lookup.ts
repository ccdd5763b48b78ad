import { z } from 'zod';
import { count, marketId, named, venue } from './fields.ts';

const match = z
  .strictObject({
    market_id: marketId.describe('The Market.'),
    outcome: z
      .string()
      .nullable()
      .describe('The `key` of the outcome that the contract prices; null where the id names no single outcome.'),
    side: z.enum(['yes', 'no']).nullable().describe('Tickers only: the side that pays for the outcome.'),
  })
  .describe('A market that has this id.');

export const lookup = named(
  'Lookup',
  z
    .strictObject({
      count: count.describe('Number of `ids`.'),
      ids: z
        .array(
          z.strictObject({
            id: z.string().describe('The id of the request.'),
            kind: z
              .enum(['market_id', 'ticker', 'token_id', 'condition_id', 'event_ticker', 'slug'])
              .nullable()
              .describe('What the id is; null where nothing has it. A market id is known by its form.'),
            venue: venue.nullable().describe('The venue that uses the id; null for a market id.'),
            matches: z.array(match).describe('By start; empty where nothing has the id.'),
          }),
        )
        .describe('Each id of the request once, in its order.'),
    })
    .describe('The markets that have these ids.'),
);
