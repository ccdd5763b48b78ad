/**
 * Descriptions of arguments for agents, where the description for REST mentions URLs, commas or
 * other routes.
 */
export const ARGUMENT_DOCS: Readonly<Record<string, string>> = {
  market_id: 'The `id` of a market from another tool: `mkt_<uuid>`.',
  q: 'Text to search for: a team, league, city, coin, indicator, or the ticker or slug of a venue.',
  category: 'Such as `sports`, `weather`, `crypto`, `economics`. list_categories returns all.',
  sport: 'Such as `basketball`, `football`, `soccer`, `tennis`.',
  competition: 'Sports: the league or cup, such as `NBA`. Any case.',
  status: 'Default `open` and `live`.',
  signal: '`spread`: only rows that are not arbitrage. `candidates`: pairs under review instead of the catalog.',
  include:
    '`settlement`: both rule texts and how the contracts may settle differently. `depth`: each contract with ask, bid and sizes. `ids`: event ids of the venues.',
  market_type:
    '`["all"]` for every type. Default `moneyline` and `outright` (the winner); outside sports, every type of the context that you filter by.',
  limit: 'Maximum number of rows. Fewer rows cost fewer tokens.',
  cursor: 'The next_cursor of the previous response, with the same arguments.',
  page: 'Page number, from 1.',
  page_size: 'Rows per page.',
};
