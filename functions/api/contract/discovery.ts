import { z } from 'zod';
import { context, count, named } from './fields.ts';
import { category, marketType } from './market.ts';

const tally = {
  count: count.describe('All markets.'),
  open: count.describe('Open markets.'),
  live: count.describe('Live markets.'),
  settled: count.describe('Settled markets.'),
};

const facet = z
  .strictObject({
    market_type: marketType,
    ...z.strictObject(context).partial().shape,
    count: count.describe('Markets with this combination.'),
  })
  .describe('A combination that has markets. The context fields depend on the category.');

export const categoryList = named(
  'CategoryList',
  z
    .strictObject({
      categories: z
        .array(
          z.strictObject({
            category,
            market_types: z.array(marketType).describe('Market types with markets in this category.'),
            facets: z.array(facet).describe('Combinations that have markets.'),
            ...tally,
          }),
        )
        .describe('One per category, sorted by name.'),
    })
    .describe('Values that the filters can name.'),
);

export const leagueList = named(
  'LeagueList',
  z
    .strictObject({
      sports: z
        .array(
          z.strictObject({
            sport: z.string().describe('The sport.'),
            leagues: z.array(z.string()).describe('Leagues with markets in this sport.'),
            count: count.describe('Markets, including those without a league.'),
            open: count.describe('Equal to `count`.'),
            live: z.literal(0).describe('Always 0. Kept for old clients.'),
            settled: z.literal(0).describe('Always 0. Kept for old clients.'),
          }),
        )
        .describe('One per sport, sorted by name.'),
    })
    .describe('Sports with their leagues.'),
);
