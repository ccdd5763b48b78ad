import { z } from 'zod';
import { integer, text } from '../../_shared/http/parameters.ts';
import { readQuery } from '../../_shared/http/query.ts';
import { toIssues } from '../../_shared/http/validation.ts';
import { answerData, type Parsed } from '../answer.ts';
import type { Route } from '../environment.ts';

const query = z.object({ sport: text.optional(), limit: integer(1, 500, 100) });

/** Opportunities that were open at the snapshot and whose pair still holds now, widest edge first. */
export const getArbitrage: Route = {
  method: 'GET',
  path: '/v2/arbitrage',
  handle: (c) => answerData(c, 'get_arbitrage', () => parseArbitrage(c.req.url)),
};

function parseArbitrage(url: string): Parsed {
  const { values, issues } = readQuery(url, Object.keys(query.shape));
  const read = query.safeParse(values);
  if (!read.success) return { params: {}, issues: [...issues, ...toIssues(read.error, 'query', values)] };
  return { params: read.data, issues };
}
