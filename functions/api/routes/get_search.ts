import { z } from 'zod';
import { integer, list, refuse, text } from '../../_shared/http/parameters.ts';
import { readQuery } from '../../_shared/http/query.ts';
import { toIssues } from '../../_shared/http/validation.ts';
import { answerData, type Parsed } from '../answer.ts';
import type { Route } from '../environment.ts';
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
    ),
  category: text.optional(),
  sport: text.optional(),
  status: list(statuses).default(['open', 'live']),
  page: integer(1, 2_147_483_647, 1),
  page_size: integer(1, 50, 20),
});

const known = Object.keys(query.shape);

// Nothing that can be seen, so nothing that can be looked for.
const blank = /^[\s\p{C}\p{Z}]*$/u;

/** Free-text lookup of markets by anything they are called, rows of both stages, without prices. */
export const getSearch: Route = {
  method: 'GET',
  path: '/v2/search',
  handle: (c) => answerData(c, 'get_search', () => parseSearch(c.req.url)),
};

function parseSearch(url: string): Parsed {
  const { values, issues } = readQuery(url, known);
  const read = query.safeParse(values);
  if (!read.success) return { params: {}, issues: [...issues, ...toIssues(read.error, 'query', values)] };
  const parsed = { params: read.data, issues };
  return blank.test(read.data.q) ? { ...parsed, refusal: 'search.blank' } : parsed;
}
