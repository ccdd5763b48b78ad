import type { History, MarketDetail, Snapshot } from './wire.ts';

/** What the live pages ask of the database, as functions of schema `api` for who is signed in. Answers have REST's shapes. */
export interface Ask {
  snapshot(channel: string): Promise<Snapshot>;
  market(id: string): Promise<MarketDetail>;
  history(id: string): Promise<History>;
  report(opportunity: string, reason: string, detail: string): Promise<void>;
}

type Call = <T>(name: string, args?: Record<string, unknown>) => Promise<T>;

export function askBy(call: Call): Ask {
  return {
    snapshot: (channel) => call<Snapshot>('live_snapshot', { p_channel: channel }),
    market: (id) => call<MarketDetail>('market_detail', { p_id: id }),
    history: (id) => call<History>('market_history', { p_id: id }),
    report: async (opportunity, reason, detail) => {
      await call('report_bad_arb', { p_opp_id: opportunity, p_reason: reason, p_detail: detail });
    },
  };
}
