import { z } from 'zod';
import { decimal, integer, text } from '../../_shared/http/parameters.ts';
import { readQuery } from '../../_shared/http/query.ts';
import { toIssues } from '../../_shared/http/validation.ts';
import { answerData, type Parsed } from '../answer.ts';
import type { Route } from '../environment.ts';

const query = z.object({
  category: text.optional(),
  sport: text.optional(),
  competition: text.optional(),
  location: text.optional(),
  asset: text.optional(),
  indicator: text.optional(),
  basis: text.optional(),
  institution: text.optional(),
  // A gap is never above 100 points; one that is asked for above them is an empty list, not a fault.
  min_gap: decimal(0, Number.MAX_VALUE),
  limit: integer(1, 500, 100),
});

const known = Object.keys(query.shape);

/** Spread observations over surely matched pairs that are no arb, widest gap first; each with its settlement disclosure. */
export const getSpreads: Route = {
  method: 'GET',
  path: '/v2/spreads',
  handle: (c) => answerData(c, 'get_spreads', () => parseSpreads(c.req.url)),
};

function parseSpreads(url: string): Parsed {
  const { values, issues } = readQuery(url, known);
  const read = query.safeParse(values);
  if (!read.success) return { params: {}, issues: [...issues, ...toIssues(read.error, 'query', values)] };
  return { params: read.data, issues };
}
