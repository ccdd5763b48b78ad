import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { marketsDocs } from '../contract/docs.ts';
import { hashView, parseCursor } from '../cursor.ts';
import { choice, decimal, flag, instant, integer, list, marketIds, parseMarketUuid, text } from '../http/parameters.ts';
import { issue } from '../http/validation.ts';
import { checkLevels, checkOrder, parseCursorOf, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { LIST_INCLUDES, MARKET_TYPES, MAX_LEVELS, SORTS, STATUSES } from '../vocabulary.ts';

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
  include: list(LIST_INCLUDES).optional(),
  levels: integer(1, MAX_LEVELS, undefined),
  market_type: list([...MARKET_TYPES, 'all']).optional(),
  game_id: text.optional(),
  has_history: flag,
  // A gap is at most 100 points. A larger min_gap gives an empty list, not an error.
  min_gap: decimal(0, Number.MAX_VALUE),
  starts_after: instant.optional(),
  starts_before: instant.optional(),
  updated_since: instant.optional(),
  ids: marketIds(100).optional(),
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

/** Who names markets wants these, and with has_history only resolved markets match. */
function defaultStatusesOf({ has_history, ids }: { has_history: boolean; ids?: string[] | undefined }) {
  if (has_history) return ['settled'];
  return ids === undefined ? ['open', 'live'] : STATUSES;
}

/**
 * Market types to filter by; undefined means all. The default is `moneyline` and `outright`, or all
 * types where a filter names markets or a context outside of sports.
 */
function typesOf(
  requested: readonly string[] | undefined,
  filters: { category?: string | undefined; ids?: string[] | undefined } & {
    [name in (typeof NON_SPORTS_FILTERS)[number]]?: string | undefined;
  },
): readonly string[] | undefined {
  if (requested !== undefined) return requested.includes('all') ? undefined : requested;
  const isOtherCategory = filters.category !== undefined && filters.category.toLowerCase() !== 'sports';
  return isOtherCategory || filters.ids !== undefined || NON_SPORTS_FILTERS.some((name) => filters[name] !== undefined)
    ? undefined
    : ['moneyline', 'outright'];
}

/** Parses a query string into the parameters of api.get_markets. */
export function parseMarkets(url: string): ParsedRequest {
  const { given, params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  const { cursor, page, limit, include, levels, status, league, competition, market_type, game_id, min_gap, ...rest } =
    params;
  const filters = {
    ...rest,
    competition: competition ?? league,
    status: status ?? defaultStatusesOf(rest),
    market_type: typesOf(market_type, rest),
    min_gap: min_gap ?? undefined,
    // An invalid game_id is not an error: no market belongs to it.
    game_id: game_id === undefined ? undefined : (parseMarketUuid(game_id) ?? null),
  };
  const view = hashView(filters);
  const parse = (text: string) => parseCursor(text, view, filters.sort);
  const after = parseCursorOf('this sort and these filters', cursor, parse, issues);
  checkOrder(['starts_after', 'starts_before'], rest, given, issues);
  checkLevels(levels, include, given.levels, issues);
  if (cursor !== undefined && page > 1) {
    issues.push(issue('value_error', ['query', 'page'], 'Value error, give page or cursor, not both', given.page));
  }
  return { params: { ...filters, view, include: include ?? [], levels, page, limit, cursor, after }, issues };
}
