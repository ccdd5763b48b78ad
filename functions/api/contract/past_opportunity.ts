import { z } from 'zod';
import { context, count, delaySeconds, marketId, named, time } from './fields.ts';
import { category, marketType, title } from './market.ts';

const contracts = z.number().gt(0).describe('Contracts of each leg that the books offered, with a precision of 0.01.');
const edgePct = z.number().gt(0).describe('Net profit after fees, in points of the $1 payout, as `edge_pct` there.');

const pastTerms = named(
  'PastTerms',
  z
    .strictObject({
      at: time.describe('When these terms began.'),
      contracts,
      edge_pct: edgePct,
      cost_usd: z.number().gt(0).describe('USD for `contracts` of each leg, fees included, rounded up to 1e-6.'),
      profit_usd: z
        .number()
        .describe('USD: `contracts` minus `cost_usd`, exact. What the whole size locked in, after fees.'),
    })
    .describe('The terms of a closed opportunity at one time, from the books of both venues.'),
);

const sample = z
  .strictObject({ at: time.describe('From this time on.'), contracts, edge_pct: edgePct })
  .describe('Size and edge from one time on.');

export const pastOpportunity = named(
  'PastOpportunity',
  z
    .strictObject({
      id: z.string().describe('The `id` that it had in `/v2/arbitrage` and on the stream.'),
      market_id: marketId.describe('The market: `GET /v2/pairs/{market_id}`.'),
      title,
      category,
      market_type: marketType,
      sport: context.sport,
      competition: context.competition,
      opened_at: time.describe('When it opened: its `detected_at`.'),
      closed_at: time.describe(
        'When it closed. Where a book became invalid, the last time at which the book was valid.',
      ),
      close_reason: z
        .string()
        .regex(/^[a-z_]+(\.[a-z_]+)+$/)
        .describe(
          'Code of the reason: `edge.gone`, or the code of a book, a rule of the arithmetic, a gate or the state of the market. docs/rest.md lists them.',
        ),
      peak_edge_pct: edgePct.describe('The largest `edge_pct` that it had, in points of the $1 payout.'),
      opening: pastTerms.describe('Its terms when it opened.'),
      peak: pastTerms.describe('Its terms at the largest edge; of equal edges the largest size, then the first.'),
      states: z.int().min(1).describe('Number of different sizes or edges that it had, one after the other.'),
      samples: z
        .array(sample)
        .min(1)
        .max(20)
        .describe(
          'How size and edge changed, by time. All `states` where there are at most 20; otherwise the first, the peak, the last and others evenly between.',
        ),
      market_withdrawn: z
        .boolean()
        .describe('Whether its market was withdrawn since, for example as a wrong match: then it may have been none.'),
    })
    .describe('An opportunity that has closed.'),
);

export const pastOpportunityList = named(
  'PastOpportunityList',
  z
    .strictObject({
      count: count.describe('Number of rows in this response.'),
      has_more: z.boolean().describe('Whether another page follows.'),
      next_cursor: z
        .string()
        .nullable()
        .describe('Opaque. Send it as `cursor` for the next page; null at the end. It does not expire.'),
      snapshot_at: time.describe('Opportunities that closed later are not in this list.'),
      delay_seconds: delaySeconds,
      opportunities: z.array(pastOpportunity).describe('By `closed_at`, the last first.'),
    })
    .describe('A page of closed opportunities.'),
);
