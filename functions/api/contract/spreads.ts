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
        .describe('Band of the match. `REVIEW` on a published row means that its settlement is not sure.'),
      settlement,
    })
    .describe('A price gap on a pair whose rule excludes arbitrage.'),
);

const filterEcho = z.string().nullable().describe('The filter of the request.');

export const spreadList = named(
  'SpreadList',
  z
    .strictObject({
      category: filterEcho,
      ...Object.fromEntries(Object.keys(context).map((name) => [name, filterEcho])),
      min_gap: z.number().nullable().describe('The filter of the request, in points.'),
      count: count.describe('Number of rows in this response.'),
      spreads: z.array(spread).describe('Widest gap first.'),
    })
    .describe('Spreads: a gap is not a return.'),
);
