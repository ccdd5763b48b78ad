import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { arbitrageHistoryDocs } from '../contract/docs.ts';
import { hashView, parseCursor } from '../cursor.ts';
import { decimal, instant, integer, text } from '../http/parameters.ts';
import { marketFilters, opportunityFilters } from '../opportunity_filters.ts';
import { checkOrder, parseCursorOf, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';

const query = opportunityFilters.extend({
  since: instant
    .optional()
    .describe('Only opportunities that closed at this time or later: epoch milliseconds or ISO 8601.'),
  until: instant
    .optional()
    .describe('Only opportunities that closed at this time or before: epoch milliseconds or ISO 8601.'),
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
  const { cursor, limit, ...rest } = params;
  const filters = { ...rest, ...marketFilters(rest, issues) };
  checkOrder(['since', 'until'], filters, given, issues);
  const view = hashView(filters);
  const after = parseCursorOf('these filters', cursor, (text) => parseCursor(text, view, '-closed_at'), issues);
  return { params: { ...filters, limit, view, after }, issues };
}
