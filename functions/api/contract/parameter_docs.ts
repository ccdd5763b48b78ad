/**
 * What each parameter means. A name means the same wherever it is taken, so it is said once. Type, bounds, words and default are
 * not here: they come out of the schema that validates. A schema’s own description goes before these.
 */
export const PARAMETER_DOCS: Readonly<Record<string, string>> = {
  market_id: 'The market: `mkt_<uuid>`, or the bare UUID.',
  id: 'The endpoint, by the `id` of its registration.',
  category:
    'Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … One that nothing has gives an empty list.',
  sport: 'Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`, `cs2`.',
  competition: 'Only this competition, in any case. Sports only.',
  league: 'Deprecated: an alias of `competition`, which goes before it.',
  location: 'Only this place, in any case; `NYC` and other short names are known. Weather only.',
  asset: 'Only this asset, in any case and by its symbol: `Bitcoin` or `BTC`. Crypto and commodities.',
  indicator: 'Only this economic indicator, in any case and by its short name: `CPI`, `PCE`, `GDP`.',
  basis: 'Only this basis of measurement, such as `touch`, in any case.',
  institution: 'Only this central bank, in any case and by its short name: `Fed`, `FOMC`, `ECB`.',
  status: 'Comma-separated or repeated. Default `open,live`; with `has_history=true`, `settled`.',
  signal:
    '`spread` narrows to spreads; `candidates` lists what is still under review instead of the catalog. `arb` is refused: see `/v2/arbitrage`.',
  sort: '`-start_time`: latest first. `-spread_pts`: widest gap first, unpriced last. Ties break on `id`.',
  include:
    'Comma-separated or repeated blocks to add: the venues’ `ids`, the `depth` of the books, the `settlement` terms with their risks.',
  market_type:
    'Comma-separated or repeated; `all` removes the filter. Absent: `moneyline,outright`; with a `category` other than `sports`, or with `location`, `asset`, `indicator`, `basis` or `institution`: every type of that context.',
  game_id: 'Only rows of this match: the `id` of its moneyline.',
  has_history: 'Only resolved markets (`closed` or `settled`) with a price history; other statuses then find nothing.',
  page: 'Which page of the present snapshot, from 1. Rows move between pages with each step; `cursor` loses none.',
  page_size: 'Rows a page.',
  limit: 'The most rows to answer with.',
  cursor:
    'The `next_cursor` of the page before, with the same sort and filters. Not together with `page`. It works for at least two minutes after the first page was answered; then 422 `cursor.expired`.',
  from: 'Only what is not before this moment: epoch milliseconds, or ISO 8601.',
  to: 'Only what is not after this moment: epoch milliseconds, or ISO 8601.',
  min_gap: 'Only gaps of at least so many points.',
  q: 'What to look for; must not be blank.',
};
