import { getCategories } from '../../routes/get_categories.ts';
import { getMarkets } from '../../routes/get_markets.ts';
import { getPair } from '../../routes/get_pair.ts';
import { getSearch } from '../../routes/get_search.ts';
import { renderMarket, renderMarkets, renderSearch } from '../render/markets.ts';
import { renderCategories } from '../render/opportunities.ts';
import { READ_ONLY_HINTS, type Tool } from '../tool.ts';
import { toolFromRoute } from '../tool_from_route.ts';

// Rows of a catalog are long for a model: few unless more are asked for, and never more than it could read.
const DEFAULT_ROWS = 10;
const limitRange = { limit: { minimum: 1, maximum: 100 } };

export const findMarkets: Tool = toolFromRoute({
  name: 'find_markets',
  title: 'Find markets by name',
  description:
    'Free-text search for markets that both venues list: ids, titles, start, status; no prices. Use it when you have a name (a team, city, coin, ticker) and need an id. To browse by filters or to read prices of many, use list_markets; for one market in full, get_market.',
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
    'The matched catalog by filters, with both venues’ asks and the gap, about two minutes old. `signal` arb says that every gate is open, not that there is profit or no settlement risk. Use it to browse (“tonight’s NBA games”, “widest gaps in weather”). To look a name up, use find_markets; for arbitrage after fees, find_arbitrage; for gaps that are none, with the reasons, get_spreads.',
  annotations: READ_ONLY_HINTS,
  route: getMarkets,
  without: ['page'],
  defaults: { limit: DEFAULT_ROWS },
  bounds: limitRange,
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
    'One market by its id: both venues’ asks and, with `settlement` (the default), how the two contracts may settle differently, a sentence a risk: what could break an arbitrage. Add `depth` for the books, `ids` for the venues’ own ids and the confidence of the match.',
  annotations: READ_ONLY_HINTS,
  route: getPair,
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
    'Which categories, market types, sports and competitions have markets, with counts: the words that the filters of list_markets and get_spreads take. Use it when a filter finds nothing or you do not know what there is.',
  annotations: READ_ONLY_HINTS,
  route: getCategories,
  examples: [{}],
  response: 'CategoryList',
  render: renderCategories,
});
