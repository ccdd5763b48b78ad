import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { lookupDocs } from '../contract/docs.ts';
import { parseMarketUuid, texts } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondData } from '../respond.ts';

const query = z.object({
  id: texts(100).describe(
    'Ids, at most 100, comma-separated or repeated, in any case: a ticker or event ticker of venue_a, a condition id, token id or slug of venue_b, or a market id.',
  ),
});

/** Markets by an id that a venue or this service uses for them, without prices. */
export const getLookup: Route = {
  method: 'GET',
  path: '/v2/lookup',
  docs: lookupDocs,
  query,
  handle: (c) => respondData(c, 'get_lookup', () => parseLookup(c.req.url)),
};

function parseLookup(url: string): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  if (!params) return { params: {}, issues };
  return { params: { ids: params.id.map((id) => ({ id, uuid: parseMarketUuid(id) })) }, issues };
}
