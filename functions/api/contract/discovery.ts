import { z } from 'zod';
import { context, count, named } from './fields.ts';
import { category, marketType } from './market.ts';

const tally = {
  count: count.describe('Rows altogether.'),
  open: count.describe('Of them, open.'),
  live: count.describe('Of them, live.'),
  settled: count.describe('Of them, settled.'),
};

const facet = z
  .strictObject({
    market_type: marketType,
    ...z.strictObject(context).partial().shape,
    count: count.describe('Rows of this combination.'),
  })
  .describe('A combination that has rows; which context it names varies by category.');

export const categoryList = named(
  'CategoryList',
  z
    .strictObject({
      categories: z
        .array(
          z.strictObject({
            category,
            market_types: z.array(marketType).describe('The families that it has.'),
            facets: z.array(facet).describe('Combinations that have rows.'),
            ...tally,
          }),
        )
        .describe('One a category, by name.'),
    })
    .describe('What there is to ask for.'),
);

export const leagueList = named(
  'LeagueList',
  z
    .strictObject({
      sports: z
        .array(
          z.strictObject({
            sport: z.string().describe('The sport.'),
            leagues: z.array(z.string()).describe('Those seen for the sport.'),
            count: count.describe('Rows, those without a league included.'),
            open: count.describe('Equal to `count`.'),
            live: z.literal(0).describe('Always 0: kept for old clients.'),
            settled: z.literal(0).describe('Always 0: kept for old clients.'),
          }),
        )
        .describe('One a sport, by name.'),
    })
    .describe('Sports with their leagues.'),
);
