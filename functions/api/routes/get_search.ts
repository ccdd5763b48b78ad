import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { aboutSearch } from '../contract/docs.ts';
import { integer, list, refuse, text } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { Parsed } from '../parsed.ts';
import { answerData } from '../respond.ts';
import { statuses } from '../vocabulary.ts';

const longest = 100;

const query = z.object({
  // Counted as people count, by characters: a flag or an emoji is two units of a string.
  q: z
    .string()
    .default('')
    .transform((given, ctx) =>
      [...given].length > longest
        ? refuse(ctx, `String should have at most ${longest} characters`, {
            type: 'string_too_long',
            ctx: { max_length: longest },
          })
        : given,
    )
    .meta({ minLength: 1, maxLength: longest, wanted: true }),
  category: text.optional(),
  sport: text.optional(),
  status: list(statuses).default(['open', 'live']),
  page: integer(1, 2_147_483_647, 1),
  page_size: integer(1, 50, 20),
});

// Nothing that can be seen, so nothing that can be looked for.
const blank = /^[\s\p{C}\p{Z}]*$/u;

/** Free-text lookup of markets by anything they are called, rows of both stages, without prices. */
export const getSearch: Route = {
  method: 'GET',
  path: '/v2/search',
  about: aboutSearch,
  query,
  handle: (c) => answerData(c, 'get_search', () => parseSearch(c.req.url)),
};

function parseSearch(url: string): Parsed {
  const { read, issues } = parseQuery(query, url);
  if (!read) return { params: {}, issues };
  const parsed = { params: read, issues };
  return blank.test(read.q) ? { ...parsed, refusal: 'search.blank' } : parsed;
}
