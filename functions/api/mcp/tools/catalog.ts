import { getCategories } from '../../routes/get_categories.ts';
import { getMarkets } from '../../routes/get_markets.ts';
import { getSearch } from '../../routes/get_search.ts';
import { renderMarkets, renderSearch } from '../render/markets.ts';
import { renderCategories } from '../render/opportunities.ts';
import { READ_ONLY_HINTS, type Tool } from '../tool.ts';
import { toolFromRoute } from '../tool_from_route.ts';
import { includeRange } from './include_range.ts';

// Rows are long for a model: few by default, and at most as many as it can read.
const DEFAULT_ROWS = 10;
const limitRange = { limit: { minimum: 1, maximum: 100 } };

export const findMarkets: Tool = toolFromRoute({
  name: 'find_markets',
  toolset: 'markets',
  title: 'Find markets by name',
  description:
    'Search in people’s words (“lakers tonight”, “BTC 100k”, “nyc weather tomorrow”) for markets that both venues list: ids, titles, start, status; no prices. Use it when you have a name and need an id. To browse with filters or to read many prices, use list_markets; for one complete market, get_market.',
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
  toolset: 'markets',
  title: 'List markets with prices',
  description:
    'The matched catalog with filters (`min_gap`, `starts_after`, `starts_before` …): asks and sizes of both venues, the outcome with the gap and its contracts, the edge after fees and the worst risk, about two minutes old. Token ids are short in its text: get_market and the structured content have them whole. `signal` arb means that every gate is open; it does not mean profit or no settlement risk. Use it to browse (“NBA games with a gap over 3 points”, “the Fed decision”). To search a name, use find_markets; for arbitrage after fees, find_arbitrage; for gaps that are not arbitrage, with the reasons, get_spreads.',
  annotations: READ_ONLY_HINTS,
  route: getMarkets,
  // Neither polling nor look-ups by id: watch_markets and get_market do these.
  without: ['page', 'updated_since', 'ids', 'levels'],
  defaults: { limit: DEFAULT_ROWS },
  bounds: { ...limitRange, include: includeRange },
  hasMarkets: true,
  examples: [{ competition: 'NBA', min_gap: 3, sort: '-spread_pts', limit: 5 }, { institution: 'Fed' }],
  response: 'MarketList',
  render: renderMarkets,
});

export const listCategories: Tool = toolFromRoute({
  name: 'list_categories',
  toolset: 'markets',
  title: 'List categories',
  description:
    'Categories, market types, sports and competitions that have markets, with counts: the values for the filters of list_markets and get_spreads. Use it when a filter finds nothing or you do not know the valid values.',
  annotations: READ_ONLY_HINTS,
  route: getCategories,
  examples: [{}],
  response: 'CategoryList',
  render: renderCategories,
});
