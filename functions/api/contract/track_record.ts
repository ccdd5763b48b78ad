import { z } from 'zod';
import { count, named, time } from './fields.ts';

const usd = z.number().min(0);

const tally = {
  shown: count.describe('Opportunities that this service published: on the stream, or by `GET /v2/arbitrage`.'),
  markets: count.describe('Different markets that they were found in. One market can have many opportunities.'),
  settled: count.describe('Those whose every contract both venues have paid.'),
  paid_as_promised: count.describe('Settled ones that paid at least $1 for each contract of a leg, as promised.'),
  paid_less: count.describe('Settled ones that paid less than promised, losses included.'),
  lost: count.describe('Those of `paid_less` that paid less than they cost.'),
  without_result: count.describe(
    'Those that are not settled because a venue closed or removed the market without a result.',
  ),
  worst_case_usd: z
    .number()
    .nullable()
    .describe('The lowest profit of one settled opportunity, negative for a loss; null before the first settlement.'),
  median_life_s: z
    .number()
    .min(0)
    .nullable()
    .describe('Median seconds from opening to close, of those that closed; null before the first close.'),
  cost_usd: usd.describe('What the settled ones cost at the served size, fees included.'),
  promised_usd: usd.describe('What they promised to pay.'),
  paid_usd: usd.describe('What both venues paid for them.'),
};

const keys = {
  family: z.string().describe('The market type.'),
  competition: z.string().nullable().describe('The league or cup; null outside sports.'),
};

export const trackRecord = named(
  'TrackRecord',
  z
    .strictObject({
      source: z
        .enum(['live', 'simulated', 'replay'])
        .nullable()
        .describe('Source of the prices and results: live venues, a simulation or a replay; null where it is unknown.'),
      since: time.nullable().describe('When the first opportunity of the record opened; null before it.'),
      updated_at: time.nullable().describe('Market time at which the record last changed.'),
      totals: z.strictObject(tally).describe('All opportunities that match the filters.'),
      competitions: z
        .array(z.strictObject({ ...keys, ...tally }))
        .describe('The same by family and competition, over all months that match.'),
      records: z
        .array(
          z.strictObject({
            month: z.string().describe('The month of the opening in UTC: `2026-11`.'),
            ...keys,
            ...tally,
          }),
        )
        .describe('The same by month, family and competition, newest month first.'),
      truncated: z.boolean().describe('Whether a list was cut after 1,000 rows. Filter by `month` for the others.'),
    })
    .describe('What served opportunities paid in the end. Voids and divergences count as they were paid.'),
);
