import { z } from 'zod';
import { count, named } from './fields.ts';
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
      markets: z.array(found).describe('Matching markets, without prices.'),
    })
    .describe('A page of matching markets.'),
);
