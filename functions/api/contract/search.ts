import { z } from 'zod';
import { count, named, time } from './fields.ts';
import { market } from './market.ts';
import { outcome } from './outcome.ts';

const found = named(
  'SearchHit',
  market
    .pick({
      id: true,
      category: true,
      market_type: true,
      sport: true,
      competition: true,
      tags: true,
      title: true,
      start_time: true,
      status: true,
      signal: true,
      coverage: true,
    })
    .extend({ outcomes: z.array(outcome.pick({ key: true, name: true })).describe('Keys and names only.') })
    .describe('The identity of a market, without prices.'),
);

export const searchResult = named(
  'SearchResult',
  z
    .strictObject({
      q: z.string().describe('The text of the request.'),
      category: z.string().nullable().describe('The filter of the request.'),
      sport: z.string().nullable().describe('The filter of the request.'),
      page: z.int().min(1).describe('Number of this page.'),
      page_size: z.int().min(1).max(50).describe('Rows per page.'),
      count: count.describe('Rows on this page.'),
      total: count.describe('Rows on all pages.'),
      has_more: z.boolean().describe('Whether another page follows.'),
      read_as: z
        .array(
          z.strictObject({
            words: z.string().describe('Words of `q`.'),
            also: z
              .array(z.string())
              .describe('What was searched for as well: other names and other forms of a number.'),
            starts_from: time.nullable().describe('For a time: the earliest start that was searched for; else null.'),
            starts_before: time.nullable().describe('For a time: starts before this moment; else null.'),
          }),
        )
        .optional()
        .describe(
          'Words of people that were read in another way as well: `tonight`, `100k`, `sixers`. Absent without.',
        ),
      markets: z.array(found).describe('Matching markets, without prices.'),
    })
    .describe('A page of matching markets.'),
);
