import type { Route } from '../app_types.ts';
import { arbitrageDocs } from '../contract/docs.ts';
import { choice, decimal, instant, integer, list } from '../http/parameters.ts';
import { marketFilters, opportunityFilters } from '../opportunity_filters.ts';
import { checkOrder, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { ARBITRAGE_INCLUDES, ARBITRAGE_SORTS } from '../vocabulary.ts';

const query = opportunityFilters.extend({
  min_edge: decimal(0, 100).describe('Minimum `edge_pct`, in points of the $1 payout.'),
  min_profit_usd: decimal(0, 1_000_000_000).describe('Minimum `profit_usd`, in USD.'),
  starts_after: instant.optional(),
  starts_before: instant.optional(),
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
  const { given, params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  checkOrder(['starts_after', 'starts_before'], params, given, issues);
  return { params: { ...params, ...marketFilters(params, issues) }, issues };
}
