/** An opportunity as REST tells it, reckoned again from its legs alone, in whole numbers of 1e-8 dollars. */

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

/** Taker fees as the venues list them: venue A's multiplier of a ticker, venue B's rate of a token. */
export type Charged = { multiplier(ticker: string): number; rate(token: string): number };

const E12 = 10n ** 12n;
const E13 = 10n ** 13n;
const E14 = 10n ** 14n;
const E15 = 10n ** 15n;
const whole = (value: number, unitsPerOne: number): bigint => BigInt(Math.round(value * unitsPerOne));
const up = (value: bigint, by: bigint): bigint => ((value + by - 1n) / by) * by;
/** How many whole units `by`, a part of one counted as one. */
const units = (value: bigint, by: bigint): number => Number(up(value, by) / by);

/** What is wrong with it, in words. */
export function wrongIn(opportunity: Opportunity, charged: Charged): string[] {
  const { legs, ladder } = opportunity;
  const wrong: string[] = [];
  const check = (what: string, told: number, reckoned: number, slack = 1e-9) => {
    if (!(Math.abs(told - reckoned) <= slack)) wrong.push(`${what} is ${told}, not ${reckoned}`);
  };
  for (const leg of legs) check(`fee of ${leg.contract_id}`, leg.fee_usd, feeOf(leg, charged));
  const cost = legs.reduce((sum, leg) => sum + whole(leg.ask_usd, 1e6) + whole(leg.fee_usd, 1e6), 0n);
  const size = legs
    .map((leg) => whole(leg.available_contracts, 100))
    .reduce((least, one) => (one < least ? one : least));
  // 1e-6 dollars times 0.01 contract is 1e-8.
  const wager = Number(up(cost * size, 100n)) / 1e8;
  check('cost_per_payout_usd', opportunity.cost_per_payout_usd, Number(cost) / 1e6);
  check('edge_pct', opportunity.edge_pct, Number(1_000_000n - cost) / 1e4);
  check('max_contracts', opportunity.max_contracts, Number(size) / 100);
  check('max_wager_usd', opportunity.max_wager_usd, wager);
  check('roi_pct', opportunity.roi_pct, ((Number(size) / 100 - wager) / wager) * 100, 1e-4);
  if (cost >= 1_000_000n) wrong.push('it costs the dollar that it pays');
  if (new Set(legs.map((leg) => leg.venue)).size < 2) wrong.push('its legs are of one venue');
  if (new Set(legs.map((leg) => leg.outcome)).size < legs.length) wrong.push('two legs are of one outcome');
  const stakes = legs.reduce((sum, leg) => sum + whole(leg.stake_fraction, 1e6), 0n);
  if (stakes !== 1_000_000n) wrong.push(`its stakes are ${stakes} millionths`);
  for (const leg of legs) {
    const share = (leg.ask_usd + leg.fee_usd) / (Number(cost) / 1e6);
    check(`stake of ${leg.contract_id}`, leg.stake_fraction, share, legs.length * 1e-6);
  }
  const [first] = ladder;
  check('contracts of the ladder', first?.contracts ?? 0, opportunity.max_contracts);
  check('cost of the ladder', first?.cost_usd ?? 0, Number(walked(opportunity, size, charged)) / 1e8, 5e-9);
  for (const [i, step] of ladder.entries()) {
    const before = ladder[i - 1];
    if (before && !(step.contracts > before.contracts && step.cost_usd > before.cost_usd))
      wrong.push('its ladder falls');
    if (!(step.cost_usd < step.contracts)) wrong.push('its ladder goes on beyond the edge');
    check('edge of the ladder', step.edge_pct, (1 - step.cost_usd / step.contracts) * 100, 1.01e-4);
  }
  return wrong.map((what) => `${opportunity.id}: ${what}`);
}

type Leg = Opportunity['legs'][number];

/** p(1-p) in 1e-12: a grid may go down to six decimals. */
function spreadOf(price: bigint): bigint {
  return price * (1_000_000n - price);
}

function feeOf(leg: Leg, charged: Charged): number {
  const spread = spreadOf(whole(leg.ask_usd, 1e6));
  // multiplier in 1e-4, 7 in 1e-2: 1e-18 in all, up to the next 1e-4. A rate in 1e-6 gives the same, up to the next 1e-5.
  if (leg.venue === 'venue_a') return units(whole(charged.multiplier(leg.contract_id), 1e4) * 7n * spread, E14) / 1e4;
  return units(whole(charged.rate(leg.contract_id), 1e6) * spread, E13) / 1e5;
}

/** What the quoted size costs with the venues' real rounding: one fill a leg, and venue A's order in whole cents. In 1e-8 dollars. */
function walked({ legs }: Opportunity, size: bigint, charged: Charged): bigint {
  return legs.reduce((sum, leg) => {
    const price = whole(leg.ask_usd, 1e6);
    // 1e-6 dollars times 0.01 contract is 1e-8; the fees as above, times 0.01 contract: 1e-20.
    const paid = price * size;
    if (leg.venue === 'venue_b') {
      const fee = up(whole(charged.rate(leg.contract_id), 1e6) * spreadOf(price) * size, E15) / E12;
      return sum + paid + fee;
    }
    const fee = up(whole(charged.multiplier(leg.contract_id), 1e4) * 7n * spreadOf(price) * size, 10n * E15) / E12;
    return sum + up(paid + fee, 1_000_000n);
  }, 0n);
}
