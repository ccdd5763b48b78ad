import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { pairDocs } from '../contract/docs.ts';
import { integer, list } from '../http/parameters.ts';
import { checkLevels, parseMarketId, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { INCLUDES, MAX_LEVELS, PAIR_INCLUDES } from '../vocabulary.ts';

const query = z.object({
  include: list(PAIR_INCLUDES).default([...INCLUDES]),
  levels: integer(1, MAX_LEVELS, undefined),
});

/**
 * One market by its id (`mkt_<uuid>` or `<uuid>`), with all blocks but `best` unless `include`
 * names others.
 */
export const getPair: Route = {
  method: 'GET',
  path: '/v2/pairs/:market_id',
  docs: pairDocs,
  query,
  handle: (c) => respondData(c, 'get_pair', () => parsePair(c.req.url, c.req.param('market_id'))),
};

function parsePair(url: string, marketId: string | undefined): ParsedRequest {
  const { given, params, issues } = parseQuery(query, url);
  const id = parseMarketId(marketId, issues);
  if (!params) return { params: {}, issues };
  checkLevels(params.levels, params.include, given.levels, issues);
  return { params: { id, include: params.include, levels: params.levels }, issues };
}
