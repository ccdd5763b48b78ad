import type { Explained, History, MarketDetail, OpenCount, Snapshot } from './wire.ts';

/** What the live pages ask of the database, as functions of schema `api` for who is signed in. Answers have REST's shapes. */
export interface Ask {
  snapshot(channel: string): Promise<Snapshot>;
  market(id: string): Promise<MarketDetail>;
  history(id: string): Promise<History>;
  explain(id: string): Promise<Explained>;
  openCount(): Promise<OpenCount>;
  report(opportunity: string, reason: string, detail: string): Promise<void>;
}

type Call = <T>(name: string, args?: Record<string, unknown>) => Promise<T>;

export function askBy(call: Call): Ask {
  return {
    snapshot: async (channel) =>
      there(await call<Snapshot | null>('live_snapshot', { p_channel: channel }), 'This feed has not begun yet.'),
    market: async (id) => there(await call<MarketDetail | null>('market_detail', { p_id: id }), noMarket),
    history: async (id) => there(await call<History | null>('market_history', { p_id: id }), noMarket),
    explain: (id) => call<Explained>('explain_market', { p_id: id }),
    openCount: () => call<OpenCount>('open_opportunities'),
    report: async (opportunity, reason, detail) => {
      await call('report_bad_arb', { p_opp_id: opportunity, p_reason: reason, p_detail: detail });
    },
  };
}

const noMarket = 'There is no market with this id. It may have been withdrawn: the list shows all that there are.';

/** Null is the database's word for what is not there. */
function there<T>(answer: T | null, otherwise: string): T {
  if (answer === null) throw new Error(otherwise);
  return answer;
}
