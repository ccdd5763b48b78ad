import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { arbitrageDocs } from '../contract/docs.ts';
import { integer, text } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';

const query = z.object({ sport: text.optional(), limit: integer(1, 500, 100) });

/**
 * Opportunities that were open at the REST snapshot and whose pair is still valid, largest edge
 * first.
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
  return { params, issues };
}
