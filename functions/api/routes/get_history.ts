import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { historyDocs } from '../contract/docs.ts';
import { instant, list, oneOf } from '../http/parameters.ts';
import { issue } from '../http/validation.ts';
import { parseMarketId, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { HISTORY_INCLUDES } from '../vocabulary.ts';

const query = z.object({
  from: instant.optional(),
  to: instant.optional(),
  bucket: oneOf([1, 5, 60], 1),
  include: list(HISTORY_INCLUDES)
    .optional()
    .describe('Values to add to each point, comma-separated or repeated: `bid` of both venues, `gap` of the asks.'),
});

/**
 * Asks of both venues for each outcome of a market, one point a bucket, up to the REST snapshot.
 * `from` and `to` (epoch milliseconds or ISO 8601, both included) choose a range; the default is
 * the last 7 days. The `from` in the response is later where the range contains too many points.
 */
export const getHistory: Route = {
  method: 'GET',
  path: '/v2/pairs/:market_id/history',
  docs: historyDocs,
  query,
  handle: (c) => respondData(c, 'get_history', () => parseHistory(c.req.url, c.req.param('market_id'))),
};

function parseHistory(url: string, marketId: string | undefined): ParsedRequest {
  const { given, params, issues } = parseQuery(query, url);
  const id = parseMarketId(marketId, issues);
  if (!params) return { params: {}, issues };
  const { from, to, bucket, include = [] } = params;
  if (from !== undefined && to !== undefined && from > to) {
    issues.push(issue('value_error', ['query', 'from'], 'Value error, from must not be later than to', given.from));
  }
  return { params: { id, from, to, bucket, include }, issues };
}
