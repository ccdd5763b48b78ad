import type {
  ChannelState,
  ClosedOpportunities,
  History,
  MarketDetail,
  MarketExplanation,
  OpenCount,
} from './frames.ts';
import type { MarketTermsList } from './market_terms.ts';

/**
 * The RPCs of the live pages, called as the signed-in user. Results have the shapes of the REST
 * API.
 */
export type MarketQueries = {
  channelState(channel: string): Promise<ChannelState>;
  market(id: string): Promise<MarketDetail>;
  history(id: string): Promise<History>;
  explain(id: string): Promise<MarketExplanation>;
  openCount(): Promise<OpenCount>;
  /** Fees, settlement and volume of at most 1,000 markets. */
  terms(ids: readonly string[]): Promise<MarketTermsList>;
  /** What closed today in all markets, or within seven days in one. */
  closed(market?: string): Promise<ClosedOpportunities>;
  report(opportunity: string, reason: string, detail: string): Promise<void>;
};

type CallRpc = <T>(name: string, args?: Record<string, unknown>) => Promise<T>;

export function createMarketQueries(call: CallRpc): MarketQueries {
  return {
    channelState: async (channel) =>
      requireFound(
        await call<ChannelState | null>('get_channel_state', { p_channel: channel }),
        'This channel has no data yet.',
      ),
    market: async (id) =>
      requireFound(await call<MarketDetail | null>('get_market_detail', { p_id: id }), MARKET_NOT_FOUND),
    history: async (id) =>
      requireFound(await call<History | null>('get_market_history', { p_id: id }), MARKET_NOT_FOUND),
    explain: (id) => call<MarketExplanation>('explain_market', { p_id: id }),
    openCount: () => call<OpenCount>('open_opportunities'),
    terms: (ids) => call<MarketTermsList>('get_market_terms', { p_ids: ids }),
    closed: (market) => call<ClosedOpportunities>('list_closed_opportunities', market ? { p_market_id: market } : {}),
    report: async (opportunity, reason, detail) => {
      await call('report_bad_arb', { p_opp_id: opportunity, p_reason: reason, p_detail: detail });
    },
  };
}

const MARKET_NOT_FOUND = 'There is no market with this id. It may have been withdrawn. Markets lists all current ones.';

/** These RPCs return null when the row does not exist. */
function requireFound<T>(result: T | null, message: string): T {
  if (result === null) throw new Error(message);
  return result;
}
