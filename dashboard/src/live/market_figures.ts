import { profitOf } from './cost_breakdown.ts';
import { type Edge, edgeOfMarket } from './edge_after_fees.ts';
import type { Market, Opportunity } from './frames.ts';
import type { MarketTerms } from './market_terms.ts';

/** The figures of the market list that are computed in the page. */
export class MarketFigures {
  readonly #now: () => number;
  #terms: ReadonlyMap<string, MarketTerms> = new Map();
  /** A changed market is a new object, so an entry never gets old. */
  #edges = new WeakMap<Market, Edge>();
  #opportunities: ReadonlyMap<string, Opportunity> = new Map();

  /** `now`: market time, epoch ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the fees were read, so that the edges are known. */
  get hasTerms(): boolean {
    return this.#terms.size > 0;
  }

  setTerms(terms: ReadonlyMap<string, MarketTerms>): void {
    if (terms === this.#terms) return;
    this.#terms = terms;
    this.#edges = new WeakMap();
  }

  /** Takes the open opportunities. Of two in one market the one with the larger edge counts. */
  setOpportunities(open: ReadonlyMap<string, Opportunity>): void {
    const best = new Map<string, Opportunity>();
    for (const one of open.values())
      if (one.edge_pct > (best.get(one.market_id)?.edge_pct ?? 0)) best.set(one.market_id, one);
    this.#opportunities = best;
  }

  termsOf(market: Market): MarketTerms | undefined {
    return this.#terms.get(market.id);
  }

  opportunityOf(market: Market): Opportunity | undefined {
    return this.#opportunities.get(market.id);
  }

  /** The edge of the open opportunity; without one, of the best asks. */
  edgeOf(market: Market): Edge {
    const open = this.opportunityOf(market);
    if (open) return { points: open.edge_pct, why: null };
    let edge = this.#edges.get(market);
    if (!edge) {
      edge = edgeOfMarket(market, this.termsOf(market), this.#now());
      this.#edges.set(market, edge);
    }
    return edge;
  }

  /** What the open opportunity locks in, in USD. Null without one: the sizes are unknown here. */
  profitOf(market: Market): number | null {
    const open = this.opportunityOf(market);
    return open ? profitOf(open.max_contracts, open.max_wager_usd) : null;
  }
}
