import { z } from 'zod';
import { list, marketUuid } from '../../_shared/http/parameters.ts';
import { readQuery } from '../../_shared/http/query.ts';
import { issue, toIssues } from '../../_shared/http/validation.ts';
import { answerData, type Parsed } from '../answer.ts';
import { aboutPair } from '../contract/about.ts';
import type { Route } from '../environment.ts';
import { includes } from '../vocabulary.ts';

const query = z.object({ include: list(includes).default([...includes]) });

/** One Market by its id (`mkt_<uuid>` or `<uuid>`), with everything included unless `include` names less. */
export const getPair: Route = {
  method: 'GET',
  path: '/v2/pairs/:market_id',
  about: aboutPair,
  query,
  handle: (c) => answerData(c, 'get_pair', () => parsePair(c.req.url, c.req.param('market_id') ?? '')),
};

function parsePair(url: string, marketId: string): Parsed {
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
  return { params: { id, include: read.data.include }, issues };
}
