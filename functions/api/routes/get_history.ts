import { z } from 'zod';
import { instant, marketUuid } from '../../_shared/http/parameters.ts';
import { readQuery } from '../../_shared/http/query.ts';
import { issue, toIssues } from '../../_shared/http/validation.ts';
import { answerData, type Parsed } from '../answer.ts';
import { aboutHistory } from '../contract/about.ts';
import type { Route } from '../environment.ts';

const query = z.object({ from: instant.optional(), to: instant.optional() });

/**
 * What both venues asked for each outcome of a market, minute by minute, up to the snapshot. `from` and `to` (epoch milliseconds or ISO
 * 8601, both included) choose a range, the last 7 days without them; the answer's own `from` is later where the range holds too many points.
 */
export const getHistory: Route = {
  method: 'GET',
  path: '/v2/pairs/:market_id/history',
  about: aboutHistory,
  query,
  handle: (c) => answerData(c, 'get_history', () => parseHistory(c.req.url, c.req.param('market_id') ?? '')),
};

function parseHistory(url: string, marketId: string): Parsed {
  const { values, issues } = readQuery(url, Object.keys(query.shape));
  const id = marketUuid(marketId);
  if (id === undefined) {
    issues.push(
      issue(
        'uuid_parsing',
        ['path', 'market_id'],
        'Input should be a valid UUID, bare or after mkt_',
        marketId.slice(0, 200),
      ),
    );
  }
  const read = query.safeParse(values);
  if (!read.success) return { params: {}, issues: [...issues, ...toIssues(read.error, 'query', values)] };
  const { from, to } = read.data;
  if (from !== undefined && to !== undefined && from > to) {
    issues.push(issue('value_error', ['query', 'from'], 'Value error, from must not be later than to', values.from));
  }
  return { params: { id, from, to }, issues };
}
