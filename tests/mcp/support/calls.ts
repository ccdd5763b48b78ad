import { idOf } from '../../api/support/catalog.ts';

export type ToolCall = {
  name: string;
  args: Record<string, unknown>;
  /** The equal request of REST; null without one. */
  rest: { path: string; body?: object } | null;
};

/** Calls of every tool as an agent makes them, each with the equal request of REST. */
export const calls: readonly ToolCall[] = [
  { name: 'find_arbitrage', args: {}, rest: { path: '/v2/arbitrage?limit=10' } },
  {
    name: 'find_arbitrage',
    args: { sport: 'basketball', limit: 1 },
    rest: { path: '/v2/arbitrage?sport=basketball&limit=1' },
  },
  { name: 'find_arbitrage', args: { sport: 'curling' }, rest: { path: '/v2/arbitrage?sport=curling' } },
  { name: 'find_markets', args: { q: 'lakers' }, rest: { path: '/v2/search?q=lakers&page_size=10' } },
  {
    name: 'find_markets',
    args: { q: 'title', status: ['settled', 'open'], page: 2, page_size: 3, sport: 'basketball' },
    rest: { path: '/v2/search?q=title&status=settled,open&page=2&page_size=3&sport=basketball' },
  },
  { name: 'list_markets', args: {}, rest: { path: '/v2/markets?limit=10' } },
  {
    name: 'list_markets',
    args: {
      competition: 'nba',
      market_type: ['all'],
      status: ['open', 'live'],
      sort: '-spread_pts',
      include: ['ids', 'depth'],
      limit: 2,
    },
    rest: {
      path: '/v2/markets?competition=nba&market_type=all&status=open,live&sort=-spread_pts&include=ids,depth&limit=2',
    },
  },
  { name: 'list_markets', args: { signal: 'candidates' }, rest: { path: '/v2/markets?signal=candidates&limit=10' } },
  { name: 'list_markets', args: { has_history: true }, rest: { path: '/v2/markets?has_history=true&limit=10' } },
  {
    name: 'list_markets',
    args: { sport: null, location: 'nowhere' },
    rest: { path: '/v2/markets?location=nowhere&limit=10' },
  },
  { name: 'get_market', args: { market_id: idOf(21) }, rest: { path: `/v2/pairs/${idOf(21)}?include=settlement` } },
  {
    name: 'get_market',
    args: { market_id: idOf(1), include: ['ids', 'depth', 'settlement'] },
    rest: { path: `/v2/pairs/${idOf(1)}` },
  },
  {
    name: 'get_market',
    args: { market_ids: [idOf(21), idOf(22), idOf(9)], include: ['ids'] },
    rest: { path: `/v2/markets?ids=${idOf(21)},${idOf(22)},${idOf(9)}&include=ids&limit=10` },
  },
  { name: 'explain_market', args: { market_id: idOf(3) }, rest: { path: `/v2/pairs/${idOf(3)}/explanation` } },
  { name: 'get_spreads', args: {}, rest: { path: '/v2/spreads?limit=10' } },
  {
    name: 'get_spreads',
    args: { sport: 'basketball', min_gap: 0.5 },
    rest: { path: '/v2/spreads?sport=basketball&min_gap=0.5&limit=10' },
  },
  { name: 'list_categories', args: {}, rest: { path: '/v2/categories' } },
  {
    name: 'report_bad_arb',
    args: { reason: 'rules differ', sport: 'basketball' },
    rest: { path: '/v2/report-bad-arb', body: { reason: 'rules differ', sport: 'basketball' } },
  },
  { name: 'watch_markets', args: { market_ids: [idOf(21), idOf(22)], seconds: 1 }, rest: null },
];
