import type { Leg, Opportunity } from './frames.ts';

/** Sums amounts that are multiples of 1e-6 USD, without floating-point error. */
export function exactSum(...amounts: readonly number[]): number {
  return Math.round(amounts.reduce((sum, amount) => sum + amount * 1e6, 0)) / 1e6;
}

export type CostPart = { leg: Leg; ask: number; fee: number };

/** Splits the $1 payout into the ask and the fee of each leg and the remaining profit, in USD. */
export function costBreakdownOf(opportunity: Pick<Opportunity, 'legs' | 'cost_per_payout_usd'>): {
  parts: CostPart[];
  remaining: number;
} {
  const parts = opportunity.legs.map((leg) => ({
    leg,
    ask: leg.ask_usd,
    // Without fee_usd, the fee is the leg's share of the whole cost less its ask.
    fee: leg.fee_usd ?? Math.max(0, exactSum(leg.stake_fraction * opportunity.cost_per_payout_usd, -leg.ask_usd)),
  }));
  return { parts, remaining: exactSum(1, -opportunity.cost_per_payout_usd) };
}

/** Profit of `contracts` of each leg after all costs, in USD. */
export function profitOf(contracts: number, costUsd: number): number {
  return exactSum(contracts, -costUsd);
}

export type SizeCurvePoint = { contracts: number; cost_usd: number; edge_pct: number; profit_usd: number };

/** The size curve of an opportunity with the profit at each size. The wire field is `ladder`. */
export function sizeCurveOf(ladder: Opportunity['ladder']): SizeCurvePoint[] {
  return (ladder ?? []).map((point) => ({ ...point, profit_usd: profitOf(point.contracts, point.cost_usd) }));
}

/** The size with the highest profit, which is seldom the size with the best edge. */
export function mostProfitablePoint(steps: readonly SizeCurvePoint[]): SizeCurvePoint | undefined {
  return steps.reduce<SizeCurvePoint | undefined>(
    (best, step) => (!best || step.profit_usd > best.profit_usd ? step : best),
    undefined,
  );
}
