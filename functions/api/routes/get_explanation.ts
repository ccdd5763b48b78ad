import type { Route } from '../app_types.ts';
import { explanationDocs } from '../contract/docs.ts';
import type { Issue } from '../http/validation.ts';
import { parseMarketId } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';

/** Why a market is or is no opportunity at the REST snapshot. */
export const getExplanation: Route = {
  method: 'GET',
  path: '/v2/pairs/:market_id/explanation',
  docs: explanationDocs,
  handle: (c) => respondData(c, 'get_explanation', () => parseExplanation(c.req.param('market_id'))),
};

function parseExplanation(marketId: string | undefined): ParsedRequest {
  const issues: Issue[] = [];
  return { params: { id: parseMarketId(marketId, issues) }, issues };
}
