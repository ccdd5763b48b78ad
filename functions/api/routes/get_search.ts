import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { searchDocs } from '../contract/docs.ts';
import { integer, list, rejectParameter, text } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';
import { STATUSES } from '../vocabulary.ts';

const MAX_QUERY_CHARACTERS = 100;

const query = z.object({
  // Counts characters, not UTF-16 units: an emoji has two units.
  q: z
    .string()
    .default('')
    .transform((given, ctx) =>
      [...given].length > MAX_QUERY_CHARACTERS
        ? rejectParameter(ctx, `String should have at most ${MAX_QUERY_CHARACTERS} characters`, {
            type: 'string_too_long',
            ctx: { max_length: MAX_QUERY_CHARACTERS },
          })
        : given,
    )
    .meta({ minLength: 1, maxLength: MAX_QUERY_CHARACTERS, wanted: true }),
  category: text.optional(),
  sport: text.optional(),
  status: list(STATUSES).default(['open', 'live']),
  page: integer(1, 2_147_483_647, 1),
  page_size: integer(1, 50, 20),
});

// Only white space and invisible characters, so nothing to search for.
const BLANK_PATTERN = /^[\s\p{C}\p{Z}]*$/u;

/**
 * Free-text search over all names of markets, in the catalog and the candidates, without prices.
 */
export const getSearch: Route = {
  method: 'GET',
  path: '/v2/search',
  docs: searchDocs,
  query,
  handle: (c) => respondData(c, 'get_search', () => parseSearch(c.req.url)),
};

function parseSearch(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  const parsed = { params, issues };
  return BLANK_PATTERN.test(params.q) ? { ...parsed, errorCode: 'search.blank' } : parsed;
}
