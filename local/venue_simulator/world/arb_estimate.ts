import type { ContractA, MarketB, Quoting, WireFields } from '../universe/question.ts';

/** The two contracts of one outcome. `second`: its token is the second of the market. */
export type Priced = { contract: ContractA; side: 'yes' | 'no'; market: MarketB; second: boolean };

/**
 * By how much the cheapest set costs more than its payout of a dollar, with fees and spreads, when
 * the outcome `cheap` is bought on venue B. An estimate from the hidden prices and the quoting
 * profiles; the actual books decide.
 */
export function estimateSetCost(legs: readonly Priced[], cheap: Priced, at: number, multiplier: number): number {
  const cost = legs.reduce((sum, leg) => {
    const onA = askOf(leg.contract.quoting, at, leg.side === 'no');
    const onB = askOf(leg.market.quoting, at, leg.second);
    const a = onA + multiplier * 0.07 * onA * (1 - onA);
    const b = onB + rateOf(leg.market) * onB * (1 - onB);
    // With two outcomes, the other one must come from venue A, so that both venues are used.
    return sum + (leg === cheap ? b : legs.length === 2 ? a : Math.min(a, b));
  }, 0);
  return cost - 1;
}

/** Half a spread above the fair price, and half a tick, because prices are whole ticks. */
function askOf({ fair, halfSpread, tick }: Quoting, at: number, otherSide: boolean): number {
  const yes = fair(at);
  return (otherSide ? 1 - yes : yes) + ((halfSpread + 0.5) * tick) / 10_000;
}

const rateOf = ({ fields }: MarketB): number => Number(((fields.feeSchedule ?? {}) as WireFields).rate ?? 0);
