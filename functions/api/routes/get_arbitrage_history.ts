import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { arbitrageHistoryDocs } from '../contract/docs.ts';
import { hashView, parseCursor } from '../cursor.ts';
import { decimal, instant, integer, list, text } from '../http/parameters.ts';
import { issue } from '../http/validation.ts';
import { parseMarketQuery, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { MARKET_TYPES } from '../vocabulary.ts';

const query = z.object({
  since: instant
    .optional()
    .describe('Only opportunities that closed at this time or later: epoch milliseconds or ISO 8601.'),
  until: instant
    .optional()
    .describe('Only opportunities that closed at this time or before: epoch milliseconds or ISO 8601.'),
  market_id: text.optional().describe('Only this market: `mkt_<uuid>`, or the UUID without the prefix.'),
  sport: text.optional(),
  category: text.optional(),
  competition: text.optional(),
  market_type: list([...MARKET_TYPES, 'all'])
    .optional()
    .describe('Only these market types, comma-separated or repeated. Absent or with `all`: every type.'),
  min_edge: decimal(0, 100).describe('Minimum `peak_edge_pct`, in points of the $1 payout.'),
  reason: text.optional().describe('Only this `close_reason`, in any case, such as `edge.gone` or `book.gap`.'),
  limit: integer(1, 500, 100),
  cursor: z
    .string()
    .max(400)
    .optional()
    .describe('The `next_cursor` of the previous page, with the same filters. It does not expire.'),
});

/** Closed opportunities up to the REST snapshot, the last closed first. */
export const getArbitrageHistory: Route = {
  method: 'GET',
  path: '/v2/arbitrage/history',
  docs: arbitrageHistoryDocs,
  query,
  handle: (c) => respondData(c, 'get_arbitrage_history', () => parseArbitrageHistory(c.req.url)),
};

function parseArbitrageHistory(url: string): ParsedRequest {
  const { given, params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  const { cursor, limit, market_id, market_type, ...rest } = params;
  const filters = {
    ...rest,
    market_id: parseMarketQuery(market_id, issues),
    market_type: market_type?.includes('all') ? undefined : market_type,
  };
  const { since, until } = filters;
  if (since !== undefined && until !== undefined && since > until) {
    const msg = 'Value error, since must not be later than until';
    issues.push(issue('value_error', ['query', 'since'], msg, given.since));
  }
  const view = hashView(filters);
  const after = cursor === undefined ? undefined : parseCursor(cursor, view, '-closed_at');
  if (cursor !== undefined && !after) {
    const msg = 'Value error, not a next_cursor of these filters';
    issues.push(issue('value_error', ['query', 'cursor'], msg, cursor.slice(0, 200)));
  }
  return { params: { ...filters, limit, view, after }, issues };
}
