import { z } from 'zod';
import { list } from '../../_shared/http/parameters.ts';
import { answerData, type Parsed } from '../answer.ts';
import { aboutPair } from '../contract/about.ts';
import type { Route } from '../environment.ts';
import { parseMarketId, parseQuery } from '../parse.ts';
import { includes } from '../vocabulary.ts';

const query = z.object({ include: list(includes).default([...includes]) });

/** One Market by its id (`mkt_<uuid>` or `<uuid>`), with everything included unless `include` names less. */
export const getPair: Route = {
  method: 'GET',
  path: '/v2/pairs/:market_id',
  about: aboutPair,
  query,
  handle: (c) => answerData(c, 'get_pair', () => parsePair(c.req.url, c.req.param('market_id'))),
};

function parsePair(url: string, marketId: string | undefined): Parsed {
  const { read, issues } = parseQuery(query, url);
  const id = parseMarketId(marketId, issues);
  if (!read) return { params: {}, issues };
  return { params: { id, include: read.include }, issues };
}
