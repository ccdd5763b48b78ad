import type { Leg, Opportunity } from './frames.ts';

/** Sums of amounts that are exact in 1e-6 USD, without what floats add to them. */
export function exactSum(...amounts: readonly number[]): number {
  return Math.round(amounts.reduce((sum, amount) => sum + amount * 1e6, 0)) / 1e6;
}

export type CostPart = { leg: Leg; ask: number; fee: number };

/** The dollar that one of the legs pays: what each costs, its fee beside it, and what is left. Shares of 1. */
export function costBreakdownOf(opportunity: Pick<Opportunity, 'legs' | 'cost_per_payout_usd'>): {
  parts: CostPart[];
  remaining: number;
} {
  const parts = opportunity.legs.map((leg) => ({
    leg,
    ask: leg.ask_usd,
    // Without the fee beside it the leg's share of the whole cost tells it.
    fee: leg.fee_usd ?? Math.max(0, exactSum(leg.stake_fraction * opportunity.cost_per_payout_usd, -leg.ask_usd)),
  }));
  return { parts, remaining: exactSum(1, -opportunity.cost_per_payout_usd) };
}

/** What is left of `contracts` of each leg after all costs, in USD. */
export function profitOf(contracts: number, costUsd: number): number {
  return exactSum(contracts, -costUsd);
}

export type SizeCurvePoint = { contracts: number; cost_usd: number; edge_pct: number; profit_usd: number };

/** The ladder with the profit at each size; sizes beyond the last rung have none. */
export function sizeCurveOf(ladder: Opportunity['ladder']): SizeCurvePoint[] {
  return (ladder ?? []).map((rung) => ({ ...rung, profit_usd: profitOf(rung.contracts, rung.cost_usd) }));
}

/** The size with the most dollars, which is seldom the one with the best edge. */
export function mostProfitablePoint(steps: readonly SizeCurvePoint[]): SizeCurvePoint | undefined {
  return steps.reduce<SizeCurvePoint | undefined>(
    (best, step) => (!best || step.profit_usd > best.profit_usd ? step : best),
    undefined,
  );
}
