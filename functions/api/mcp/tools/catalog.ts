import type { JsonSchema } from '../../contract/json_schema.ts';
import { getCategories } from '../../routes/get_categories.ts';
import { getMarkets } from '../../routes/get_markets.ts';
import { getPair } from '../../routes/get_pair.ts';
import { getSearch } from '../../routes/get_search.ts';
import { renderMarket, renderMarkets, renderSearch } from '../render/markets.ts';
import { renderCategories } from '../render/opportunities.ts';
import { READ_ONLY_HINTS, type Tool } from '../tool.ts';
import { toolFromRoute } from '../tool_from_route.ts';

// Rows are long for a model: few by default, and at most as many as it can read.
const DEFAULT_ROWS = 10;
// The texts of the tools have these blocks only.
const includeRange: JsonSchema = { items: { type: 'string', enum: ['ids', 'depth', 'settlement'] } };
const limitRange = { limit: { minimum: 1, maximum: 100 } };

export const findMarkets: Tool = toolFromRoute({
  name: 'find_markets',
  title: 'Find markets by name',
  description:
    'Free-text search for markets that both venues list: ids, titles, start, status; no prices. Use it when you have a name (a team, city, coin, ticker) and need an id. To browse with filters or to read many prices, use list_markets; for one complete market, get_market.',
  annotations: READ_ONLY_HINTS,
  route: getSearch,
  defaults: { page_size: DEFAULT_ROWS },
  required: ['q'],
  examples: [{ q: 'Lakers' }, { q: 'Fed decision', category: 'economics' }],
  response: 'SearchResult',
  render: renderSearch,
});

export const listMarkets: Tool = toolFromRoute({
  name: 'list_markets',
  title: 'List markets with prices',
  description:
    'The matched catalog with filters, with the asks of both venues and the gap, about two minutes old. `signal` arb means that every gate is open; it does not mean profit or no settlement risk. Use it to browse (“tonight’s NBA games”, “widest gaps in weather”). To search a name, use find_markets; for arbitrage after fees, find_arbitrage; for gaps that are not arbitrage, with the reasons, get_spreads.',
  annotations: READ_ONLY_HINTS,
  route: getMarkets,
  // Neither polling nor look-ups by id: watch_markets and get_market do these.
  without: ['page', 'updated_since', 'ids', 'levels'],
  defaults: { limit: DEFAULT_ROWS },
  bounds: { ...limitRange, include: includeRange },
  examples: [
    { competition: 'NBA', status: ['open'], limit: 5 },
    { category: 'weather', market_type: ['all'], sort: '-spread_pts' },
  ],
  response: 'MarketList',
  render: renderMarkets,
});

export const getMarket: Tool = toolFromRoute({
  name: 'get_market',
  title: 'Read one market',
  description:
    'One market by its id: the asks of both venues and, with `settlement` (the default), how the two contracts may settle differently, one sentence per risk: what could break an arbitrage. Add `depth` for the books, `ids` for the ids of the venues and the confidence of the match.',
  annotations: READ_ONLY_HINTS,
  route: getPair,
  without: ['levels'],
  bounds: { include: includeRange },
  defaults: { include: ['settlement'] },
  required: ['market_id'],
  examples: [{ market_id: 'mkt_00000000-0000-4000-8000-000000000001' }],
  response: 'Market',
  render: renderMarket,
});

export const listCategories: Tool = toolFromRoute({
  name: 'list_categories',
  title: 'List categories',
  description:
    'Categories, market types, sports and competitions that have markets, with counts: the values for the filters of list_markets and get_spreads. Use it when a filter finds nothing or you do not know the valid values.',
  annotations: READ_ONLY_HINTS,
  route: getCategories,
  examples: [{}],
  response: 'CategoryList',
  render: renderCategories,
});
