/** What an argument means to an agent, where REST's words speak of addresses, commas or other routes. */
export const ARGUMENT_DOCS: Readonly<Record<string, string>> = {
  market_id: 'A market’s `id` as another tool gave it: `mkt_<uuid>`.',
  q: 'Words to look for: a team, league, city, coin, indicator, or a venue’s own ticker or slug.',
  category: 'Such as `sports`, `weather`, `crypto`, `economics`; list_categories has them all.',
  sport: 'Such as `basketball`, `football`, `soccer`, `tennis`.',
  competition: 'Sports: the league or cup, such as `NBA`. Any case.',
  status: 'Default `open` and `live`.',
  signal: '`spread`: only rows that are no arbitrage. `candidates`: what is still under review instead of the catalog.',
  include:
    '`settlement`: both rule texts and how they may settle differently. `depth`: each contract with its ask and bid and their sizes. `ids`: the venues’ own ids of the event.',
  market_type:
    '`["all"]` for every family. Default `moneyline` and `outright` (who wins); outside sports, every family of what you filter by.',
  limit: 'The most rows. Few are cheap.',
  cursor: 'The next_cursor of the answer before, with the same arguments.',
  page: 'Which page, from 1.',
  page_size: 'Rows a page.',
};
