import { type Issue, issue, summarizeIssues } from '../../http/validation.ts';
import { getMarkets } from '../../routes/get_markets.ts';
import { getPair } from '../../routes/get_pair.ts';
import { type Arguments, coerceArguments, type InputSchema, typeIssues } from '../arguments.ts';
import { parseMarketIds } from '../market_ids.ts';
import { renderMarket, renderMarketsOf } from '../render/markets.ts';
import { READ_ONLY_HINTS, type Tool } from '../tool.ts';
import { toolFromRoute } from '../tool_from_route.ts';
import { includeRange } from './include_range.ts';

const MAX_MARKETS = 10;

const one: Tool = toolFromRoute({
  name: 'get_market',
  toolset: 'markets',
  title: 'Read one market, or several',
  description:
    'A market by `market_id`, or up to ten by `market_ids`: the asks of both venues with sizes and contracts, the edge after fees and, with `settlement` (the default of one), how the two contracts may settle differently, one sentence per risk: what could break an arbitrage. Add `depth` for the books, `ids` for the ids of the venues and the confidence of the match. For why it is no arbitrage, use explain_market.',
  annotations: READ_ONLY_HINTS,
  route: getPair,
  without: ['levels'],
  bounds: { include: includeRange },
  defaults: { include: ['settlement'] },
  hasMarkets: true,
  examples: [{ market_id: 'mkt_00000000-0000-4000-8000-000000000001' }],
  response: 'Market',
  render: renderMarket,
});

const several: Tool = toolFromRoute({
  ...{
    name: one.name,
    toolset: one.toolset,
    title: one.title,
    description: one.description,
    annotations: one.annotations,
  },
  route: getMarkets,
  bounds: { include: includeRange },
  hasMarkets: true,
  examples: [],
  response: 'MarketList',
  render: renderMarketsOf,
});

const inputSchema: InputSchema = {
  ...one.inputSchema,
  properties: {
    ...one.inputSchema.properties,
    market_ids: {
      type: 'array',
      items: { type: 'string', maxLength: 60 },
      minItems: 1,
      maxItems: MAX_MARKETS,
      description: 'Several markets of the catalog instead of `market_id`.',
    },
  },
};

export const getMarket: Tool = {
  ...one,
  inputSchema,
  // Several: the schema of list_markets describes the rows. Here it would cost 3,000 tokens more.
  outputSchema: {
    type: 'object',
    anyOf: [
      one.outputSchema,
      { type: 'object', properties: { markets: { type: 'array', items: { type: 'object' } } }, required: ['markets'] },
    ],
  },
  async run(received, call) {
    const given = coerceArguments(inputSchema, withIdsOf(received));
    const { market_id, market_ids, ...rest } = given;
    const isOne = market_ids === undefined || market_ids === null;
    if (isOne && market_id !== undefined) return await one.run({ ...rest, market_id }, call);
    const detail = typeIssues(inputSchema, given);
    if (detail.length === 0) detail.push(...idIssues(given));
    if (detail.length > 0) {
      await call.mcpRequest.admit();
      return { error: { ...summarizeIssues(detail), detail, request_id: call.mcpRequest.requestId } };
    }
    return await several.run({ ...rest, ids: market_ids, limit: MAX_MARKETS }, call);
  },
};

/** A list in `market_id` means `market_ids`: a model uses the name that it knows. */
function withIdsOf(received: Arguments): Arguments {
  const { market_id, ...rest } = received;
  if (received.market_ids !== undefined) return received;
  const isList = Array.isArray(market_id) || (typeof market_id === 'string' && market_id.includes(','));
  return isList ? { ...rest, market_ids: market_id } : received;
}

function idIssues({ market_id, market_ids }: Arguments): Issue[] {
  if (market_ids === undefined || market_ids === null) {
    return [issue('missing', ['arguments', 'market_id'], 'Field required, or market_ids', null)];
  }
  if (market_id !== undefined && market_id !== null) {
    const msg = 'Value error, give market_id or market_ids, not both';
    return [issue('value_error', ['arguments', 'market_ids'], msg, null)];
  }
  return parseMarketIds(market_ids as string[], 'market_ids').detail;
}
