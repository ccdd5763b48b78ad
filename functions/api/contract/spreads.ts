import { z } from 'zod';
import { context, count, named } from './fields.ts';
import { market } from './market.ts';
import { settlement } from './settlement.ts';

const spread = named(
  'Spread',
  market
    .pick({
      id: true,
      category: true,
      market_type: true,
      sport: true,
      competition: true,
      title: true,
      status: true,
      signal: true,
      spread_pts: true,
    })
    .extend({
      match_band: z
        .enum(['EXACT', 'HIGH', 'REVIEW'])
        .describe('How the match was judged. `REVIEW` on a published row is a disclosed caution about settlement.'),
      settlement,
    })
    .describe('A gap between the venues on a pair whose rule never makes an arbitrage.'),
);

const echoed = z.string().nullable().describe('The filter, echoed.');

export const spreadList = named(
  'SpreadList',
  z
    .strictObject({
      category: echoed,
      ...Object.fromEntries(Object.keys(context).map((name) => [name, echoed])),
      min_gap: z.number().nullable().describe('The filter, echoed, in points.'),
      count: count.describe('How many rows are in this answer.'),
      spreads: z.array(spread).describe('Widest gap first.'),
    })
    .describe('Spread observations: a gap is not a return.'),
);
