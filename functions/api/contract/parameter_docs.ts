/**
 * Descriptions of the parameters. A name has the same meaning in every route, so it is described
 * once. Type, range, allowed values and default come from the validating schema. A description in
 * the schema takes precedence.
 */
export const PARAMETER_DOCS: Readonly<Record<string, string>> = {
  market_id: 'The market: `mkt_<uuid>`, or the UUID without the prefix.',
  day: 'The day in UTC: `2026-11-27`.',
  id: 'The `id` of the endpoint.',
  delivery_id: 'The `delivery_id` of a delivery to the endpoint.',
  category:
    'Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … An unknown category gives an empty list.',
  sport: 'Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`, `cs2`.',
  competition: 'Only this competition, in any case. Sports only.',
  league: 'Deprecated: an alias of `competition`, which takes precedence.',
  location: 'Only this place, in any case, also by short names such as `NYC`. Weather only.',
  asset: 'Only this asset, in any case, by name or symbol: `Bitcoin` or `BTC`. Crypto and commodities.',
  indicator: 'Only this economic indicator, in any case, also by its short name: `CPI`, `PCE`, `GDP`.',
  basis: 'Only this basis of measurement, such as `touch`, in any case.',
  institution: 'Only this central bank, in any case, also by its short name: `Fed`, `FOMC`, `ECB`.',
  status:
    'Comma-separated or repeated. Default `open,live`; with `has_history=true`, `settled`; with `ids`, every status.',
  signal:
    '`spread`: only spreads. `candidates`: pairs under review instead of the catalog. `arb` is rejected: see `/v2/arbitrage`.',
  sort: '`-start_time`: latest first. `-spread_pts`: widest gap first, unpriced last. Equal rows are sorted by `id`.',
  include:
    'Blocks to add, comma-separated or repeated: `ids` of the venues, `depth` of the books, `settlement` terms with their risks, `best` quotes across both venues after fees. Lists only: `total` number of matches.',
  levels:
    'Needs `include=depth`: adds up to this many levels of each side of each book, and the time of their reading. Deeper levels are sampled once per step; where the sample does not fit the price, the best level is alone.',
  market_type:
    'Comma-separated or repeated; `all` removes the filter. Absent: `moneyline,outright`; with a `category` other than `sports`, or with `location`, `asset`, `indicator`, `basis` or `institution`: every type of that context.',
  game_id: 'Only rows of this match: the `id` of its moneyline.',
  has_history: 'Only resolved markets (`closed` or `settled`) with a price history; other statuses then find nothing.',
  page: 'Page of the current snapshot, from 1. Rows can move between pages with each step; with `cursor` none is lost.',
  page_size: 'Rows per page.',
  limit: 'Maximum number of rows.',
  cursor:
    'The `next_cursor` of the previous page, with the same sort and filters. Not together with `page`. It works for at least two minutes after the first page; then 422 `cursor.expired`.',
  from: 'Start of the range, included: epoch milliseconds or ISO 8601.',
  to: 'End of the range, included: epoch milliseconds or ISO 8601.',
  bucket: 'Minutes from one point to the next.',
  min_gap: 'Minimum gap in points, as `spread_pts` has it. Rows without a gap do not match.',
  starts_after: 'Only markets whose `start_time` is at this time or later: epoch milliseconds or ISO 8601.',
  starts_before: 'Only markets whose `start_time` is earlier than this time: epoch milliseconds or ISO 8601.',
  updated_since:
    'Only markets that changed in a snapshot later than this time, in prices, sizes or identity: epoch milliseconds or ISO 8601. Send the `snapshot_at` of your previous response.',
  ids: 'Only these markets: at most 100 ids, comma-separated or repeated, with or without `mkt_`. The default of `status` and of `market_type` is then every value. Unknown ids are omitted.',
  q: 'Text to search for; must not be blank.',
};
