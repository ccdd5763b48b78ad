import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { arbitrageDocs } from '../contract/docs.ts';
import { choice, decimal, integer, list, text } from '../http/parameters.ts';
import { parseMarketQuery, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { ARBITRAGE_INCLUDES, ARBITRAGE_SORTS, MARKET_TYPES } from '../vocabulary.ts';

const query = z.object({
  sport: text.optional(),
  category: text.optional(),
  competition: text.optional(),
  market_type: list([...MARKET_TYPES, 'all'])
    .optional()
    .describe('Only these market types, comma-separated or repeated. Absent or with `all`: every type.'),
  market_id: text.optional().describe('Only this market: `mkt_<uuid>`, or the UUID without the prefix.'),
  min_edge: decimal(0, 100).describe('Minimum `edge_pct`, in points of the $1 payout.'),
  min_profit_usd: decimal(0, 1_000_000_000).describe('Minimum `profit_usd`, in USD.'),
  sort: choice(ARBITRAGE_SORTS)
    .default('-edge_pct')
    .describe(
      '`-edge_pct`, `-profit_usd`, `-annualized_pct`: the largest first. `expected_settlement_at`: the earliest first. Rows without the value are last. Equal rows are sorted by `edge_pct`, then `id`.',
    ),
  include: list(ARBITRAGE_INCLUDES)
    .optional()
    .describe(
      'Blocks to add, comma-separated or repeated: `settlement` terms with their risks and both rule texts, and `books`, the outcomes of the market with both books of each.',
    ),
  limit: integer(1, 500, 100),
});

/**
 * Opportunities that were open at the REST snapshot and whose pair is still valid, largest edge
 * first unless `sort` names another order.
 */
export const getArbitrage: Route = {
  method: 'GET',
  path: '/v2/arbitrage',
  docs: arbitrageDocs,
  query,
  handle: (c) => respondData(c, 'get_arbitrage', () => parseArbitrage(c.req.url)),
};

function parseArbitrage(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  const { market_id, market_type, ...rest } = params;
  return {
    params: {
      ...rest,
      market_id: parseMarketQuery(market_id, issues),
      market_type: market_type?.includes('all') ? undefined : market_type,
    },
    issues,
  };
}
