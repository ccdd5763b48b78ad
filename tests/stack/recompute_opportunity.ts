/** Recomputes an opportunity of REST from its legs, in integers of 1e-8 USD. */

export type Opportunity = {
  id: string;
  market_id: string;
  market_type: string;
  competition: string | null;
  edge_pct: number;
  roi_pct: number;
  cost_per_payout_usd: number;
  max_contracts: number;
  max_wager_usd: number;
  detected_at: string;
  priced_at: string;
  legs: {
    outcome: string;
    venue: 'venue_a' | 'venue_b';
    side: 'yes' | 'no' | null;
    ask_usd: number;
    fee_usd: number;
    stake_fraction: number;
    available_contracts: number;
    contract_id: string;
  }[];
  ladder: { contracts: number; cost_usd: number; edge_pct: number }[];
};

/**
 * The listed taker fees: the multiplier of a ticker on venue A, and the rate of a token on venue B.
 */
export type VenueFees = { multiplier(ticker: string): number; rate(token: string): number };

const E12 = 10n ** 12n;
const E13 = 10n ** 13n;
const E14 = 10n ** 14n;
const E15 = 10n ** 15n;
const toUnits = (value: number, unitsPerOne: number): bigint => BigInt(Math.round(value * unitsPerOne));
const roundUp = (value: bigint, by: bigint): bigint => ((value + by - 1n) / by) * by;
/** The number of units `by`, rounded up. */
const unitCount = (value: bigint, by: bigint): number => Number(roundUp(value, by) / by);

/** Describes each value of the opportunity that differs from the recomputed one. */
export function recomputationErrors(opportunity: Opportunity, fees: VenueFees): string[] {
  const { legs, ladder } = opportunity;
  const errors: string[] = [];
  const check = (what: string, served: number, recomputed: number, tolerance = 1e-9) => {
    if (!(Math.abs(served - recomputed) <= tolerance)) errors.push(`${what} is ${served}, not ${recomputed}`);
  };
  for (const leg of legs) check(`fee of ${leg.contract_id}`, leg.fee_usd, feeOf(leg, fees));
  const cost = legs.reduce((sum, leg) => sum + toUnits(leg.ask_usd, 1e6) + toUnits(leg.fee_usd, 1e6), 0n);
  const size = legs.map((leg) => toUnits(leg.available_contracts, 100)).reduce((min, one) => (one < min ? one : min));
  // 1e-6 USD times 0.01 contract is 1e-8 USD.
  const wager = Number(roundUp(cost * size, 100n)) / 1e8;
  check('cost_per_payout_usd', opportunity.cost_per_payout_usd, Number(cost) / 1e6);
  check('edge_pct', opportunity.edge_pct, Number(1_000_000n - cost) / 1e4);
  check('max_contracts', opportunity.max_contracts, Number(size) / 100);
  check('max_wager_usd', opportunity.max_wager_usd, wager);
  check('roi_pct', opportunity.roi_pct, ((Number(size) / 100 - wager) / wager) * 100, 1e-4);
  if (cost >= 1_000_000n) errors.push('it costs at least the dollar that it pays');
  if (new Set(legs.map((leg) => leg.venue)).size < 2) errors.push('all legs are on one venue');
  if (new Set(legs.map((leg) => leg.outcome)).size < legs.length) errors.push('two legs have the same outcome');
  const stakes = legs.reduce((sum, leg) => sum + toUnits(leg.stake_fraction, 1e6), 0n);
  if (stakes !== 1_000_000n) errors.push(`the stakes are ${stakes} millionths, not 1000000`);
  for (const leg of legs) {
    const share = (leg.ask_usd + leg.fee_usd) / (Number(cost) / 1e6);
    check(`stake of ${leg.contract_id}`, leg.stake_fraction, share, legs.length * 1e-6);
  }
  const [first] = ladder;
  check('first contracts of the size curve', first?.contracts ?? 0, opportunity.max_contracts);
  check('first cost of the size curve', first?.cost_usd ?? 0, Number(costOfSize(opportunity, size, fees)) / 1e8, 5e-9);
  for (const [i, step] of ladder.entries()) {
    const before = ladder[i - 1];
    if (before && !(step.contracts > before.contracts && step.cost_usd > before.cost_usd))
      errors.push('the size curve does not rise');
    if (!(step.cost_usd < step.contracts)) errors.push('the size curve continues without an edge');
    check('edge of the size curve', step.edge_pct, (1 - step.cost_usd / step.contracts) * 100, 1.01e-4);
  }
  return errors.map((what) => `${opportunity.id}: ${what}`);
}

type Leg = Opportunity['legs'][number];

/** p(1-p) in 1e-12, for prices in 1e-6. */
function feeBaseOf(price: bigint): bigint {
  return price * (1_000_000n - price);
}

function feeOf(leg: Leg, fees: VenueFees): number {
  const feeBase = feeBaseOf(toUnits(leg.ask_usd, 1e6));
  // Multiplier in 1e-4 times 7 in 1e-2 times the base: 1e-18, rounded up to 1e-4. A rate in 1e-6
  // also gives 1e-18, rounded up to 1e-5.
  if (leg.venue === 'venue_a')
    return unitCount(toUnits(fees.multiplier(leg.contract_id), 1e4) * 7n * feeBase, E14) / 1e4;
  return unitCount(toUnits(fees.rate(leg.contract_id), 1e6) * feeBase, E13) / 1e5;
}

/**
 * Cost of the quoted size in 1e-8 USD with the rounding of the venues: one fill for each leg, and
 * an order on venue A is rounded up to cents.
 */
function costOfSize({ legs }: Opportunity, size: bigint, fees: VenueFees): bigint {
  return legs.reduce((sum, leg) => {
    const price = toUnits(leg.ask_usd, 1e6);
    // 1e-6 USD times 0.01 contract is 1e-8 USD. The fees of feeOf times 0.01 contract are in 1e-20.
    const stake = price * size;
    if (leg.venue === 'venue_b') {
      const fee = roundUp(toUnits(fees.rate(leg.contract_id), 1e6) * feeBaseOf(price) * size, E15) / E12;
      return sum + stake + fee;
    }
    const fee = roundUp(toUnits(fees.multiplier(leg.contract_id), 1e4) * 7n * feeBaseOf(price) * size, 10n * E15) / E12;
    return sum + roundUp(stake + fee, 1_000_000n);
  }, 0n);
}
