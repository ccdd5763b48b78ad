import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { marketsDocs } from '../contract/docs.ts';
import { hashView, parseCursor } from '../cursor.ts';
import { choice, flag, integer, list, parseMarketUuid, text } from '../http/parameters.ts';
import { issue } from '../http/validation.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { INCLUDES, MARKET_TYPES, SORTS, STATUSES } from '../vocabulary.ts';

const query = z.object({
  category: text.optional(),
  sport: text.optional(),
  competition: text.optional(),
  league: text.meta({ deprecated: true }).optional(),
  location: text.optional(),
  asset: text.optional(),
  indicator: text.optional(),
  basis: text.optional(),
  institution: text.optional(),
  status: list(STATUSES).optional(),
  signal: choice(['spread', 'candidates'], { arb: '/v2/arbitrage' }).optional(),
  sort: choice(SORTS).default('start_time'),
  include: list(INCLUDES).optional(),
  market_type: list([...MARKET_TYPES, 'all']).optional(),
  game_id: text.optional(),
  has_history: flag,
  page: integer(1, 2_147_483_647, 1),
  limit: integer(1, 1000, 500),
  cursor: z.string().max(400).optional(),
});

/**
 * The matched catalog at the REST snapshot, filtered, sorted and paged by `page` or by `cursor`.
 */
export const getMarkets: Route = {
  method: 'GET',
  path: '/v2/markets',
  docs: marketsDocs,
  query,
  handle: (c) => respondData(c, 'get_markets', () => parseMarkets(c.req.url)),
};

const NON_SPORTS_FILTERS = ['location', 'asset', 'indicator', 'basis', 'institution'] as const;

/**
 * Market types to filter by; undefined means all. The default is `moneyline` and `outright`, or all
 * types where a filter names a context outside of sports.
 */
function typesOf(
  requested: readonly string[] | undefined,
  filters: { category?: string | undefined } & { [name in (typeof NON_SPORTS_FILTERS)[number]]?: string | undefined },
): readonly string[] | undefined {
  if (requested !== undefined) return requested.includes('all') ? undefined : requested;
  const isOtherCategory = filters.category !== undefined && filters.category.toLowerCase() !== 'sports';
  return isOtherCategory || NON_SPORTS_FILTERS.some((name) => filters[name] !== undefined)
    ? undefined
    : ['moneyline', 'outright'];
}

/** Parses a query string into the parameters of api.get_markets. */
export function parseMarkets(url: string): ParsedRequest {
  const { given, params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  const { cursor, page, limit, include, status, league, competition, market_type, game_id, ...rest } = params;
  const filters = {
    ...rest,
    competition: competition ?? league,
    // With has_history only resolved markets match.
    status: status ?? (rest.has_history ? ['settled'] : ['open', 'live']),
    market_type: typesOf(market_type, rest),
    // An invalid game_id is not an error: no market belongs to it.
    game_id: game_id === undefined ? undefined : (parseMarketUuid(game_id) ?? null),
  };
  const view = hashView(filters);
  const after = cursor === undefined ? undefined : parseCursor(cursor, view, filters.sort);
  if (cursor !== undefined && !after) {
    issues.push(
      issue(
        'value_error',
        ['query', 'cursor'],
        'Value error, not a next_cursor of this sort and these filters',
        cursor.slice(0, 200),
      ),
    );
  }
  if (cursor !== undefined && page > 1) {
    issues.push(issue('value_error', ['query', 'page'], 'Value error, give page or cursor, not both', given.page));
  }
  return { params: { ...filters, view, include: include ?? [], page, limit, cursor, after }, issues };
}
