import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { spreadsDocs } from '../contract/docs.ts';
import { decimal, integer, text } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';

const query = z.object({
  category: text.optional(),
  sport: text.optional(),
  competition: text.optional(),
  location: text.optional(),
  asset: text.optional(),
  indicator: text.optional(),
  basis: text.optional(),
  institution: text.optional(),
  // A gap is at most 100 points. A larger min_gap gives an empty list, not an error.
  min_gap: decimal(0, Number.MAX_VALUE),
  limit: integer(1, 500, 100),
});

/**
 * Spreads of surely matched pairs that are not arbitrage, widest gap first, each with its
 * settlement risks.
 */
export const getSpreads: Route = {
  method: 'GET',
  path: '/v2/spreads',
  docs: spreadsDocs,
  query,
  handle: (c) => respondData(c, 'get_spreads', () => parseSpreads(c.req.url)),
};

function parseSpreads(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  return { params, issues };
}
