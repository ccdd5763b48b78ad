import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { rulesDocs } from '../contract/docs.ts';
import { hashView, parseRuleCursor } from '../cursor.ts';
import { integer, list, text } from '../http/parameters.ts';
import { parseCursorOf, parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { MARKET_TYPES, RULE_INCLUDES, RULE_STATES } from '../vocabulary.ts';

const query = z.object({
  family: list(MARKET_TYPES).optional().describe('Only rules of these market types, comma-separated or repeated.'),
  competition: text
    .optional()
    .describe('Only this competition, place or asset, by its name or its code in the `rule_id`, in any case.'),
  state: list(RULE_STATES).optional().describe('Only rules in these states, comma-separated or repeated.'),
  include: list(RULE_INCLUDES)
    .optional()
    .describe('`divergences`: the evidence of each divergence. A page then has at most 50 rules.'),
  limit: integer(1, 500, 100),
  cursor: z
    .string()
    .max(400)
    .optional()
    .describe('The `next_cursor` of the previous page, with the same filters. It does not expire.'),
});

/** The resolution rules with their settled record, by competition and family. */
export const getRules: Route = {
  method: 'GET',
  path: '/v2/rules',
  docs: rulesDocs,
  query,
  handle: (c) => respondData(c, 'get_rules', () => parseRules(c.req.url)),
};

function parseRules(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  const { cursor, include, limit, ...filters } = params;
  const view = hashView(filters);
  const after = parseCursorOf('these filters', cursor, (text) => parseRuleCursor(text, view), issues);
  return { params: { ...filters, include, limit, view, after }, issues };
}
