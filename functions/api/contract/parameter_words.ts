/**
 * What each parameter means. A name means the same wherever it is taken, so it is said once. Type, bounds, words and default are
 * not here: they come out of the schema that validates. A schema’s own description goes before these.
 */
export const parameterWords: Readonly<Record<string, string>> = {
  market_id: 'The market: `mkt_<uuid>`, or the bare UUID.',
  id: 'The endpoint, by the `id` of its registration.',
  category:
    'Only this category: `sports`, `weather`, `crypto`, `economics` … One that nothing has gives an empty list.',
  sport: 'Only this sport, such as `football`, `basketball`, `soccer`, `tennis`, `cs2`.',
  competition: 'Only this competition, in any case. Sports only.',
  league: 'Deprecated: an alias of `competition`, which goes before it.',
  location: 'Only this place. Weather only.',
  asset: 'Only this asset. Crypto and commodities.',
  indicator: 'Only this economic indicator.',
  basis: 'Only this basis of measurement.',
  institution: 'Only this central bank.',
  status: 'Comma-separated. Default `open,live`; with `has_history=true`, `settled`.',
  signal:
    '`spread` narrows to spreads; `candidates` lists what is still under review instead of the catalog. `arb` is refused: see `/v2/arbitrage`.',
  sort: '`-start_time`: latest first. `-spread_pts`: widest gap first, unpriced last. Ties break on `id`.',
  include:
    'Comma-separated blocks to add: the venues’ `ids`, the `depth` of the books, the `settlement` terms with their risks.',
  market_type: 'Comma-separated. `all` removes the filter.',
  game_id: 'Only rows of this match: the `id` of its moneyline.',
  has_history: 'Only resolved markets with a price history.',
  page: 'Which page, from 1. For a list that moves, `cursor` is safer.',
  page_size: 'Rows a page.',
  limit: 'The most rows to answer with.',
  cursor: 'The `next_cursor` of the page before, with the same sort and filters. Not together with `page`.',
  from: 'Only what is not before this moment: epoch milliseconds, or ISO 8601.',
  to: 'Only what is not after this moment: epoch milliseconds, or ISO 8601.',
  min_gap: 'Only gaps of at least so many points.',
  q: 'What to look for; must not be blank.',
};
