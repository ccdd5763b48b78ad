import { z } from 'zod';
import { list, text } from './http/parameters.ts';
import type { Issue } from './http/validation.ts';
import { parseMarketQuery } from './parse.ts';
import { MARKET_TYPES } from './vocabulary.ts';

/** The filters that open and closed opportunities share. */
export const opportunityFilters = z.object({
  sport: text.optional(),
  category: text.optional(),
  competition: text.optional(),
  market_type: list([...MARKET_TYPES, 'all'])
    .optional()
    .describe('Only these market types, comma-separated or repeated. Absent or with `all`: every type.'),
  market_id: text.optional().describe('Only this market: `mkt_<uuid>`, or the UUID without the prefix.'),
});

type Filters = Pick<z.output<typeof opportunityFilters>, 'market_type' | 'market_id'>;

/** The values for SQL: the UUID of the market, and no market types where `all` is among them. */
export function marketFilters({ market_type, market_id }: Filters, issues: Issue[]) {
  return {
    market_id: parseMarketQuery(market_id, issues),
    market_type: market_type?.includes('all') ? undefined : market_type,
  };
}
