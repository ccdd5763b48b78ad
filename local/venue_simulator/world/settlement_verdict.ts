import { labelOf } from '../universe/listing/listing_a.ts';
import type { ContractA, Leg, MarketB, Twin } from '../universe/question.ts';
import { paidOnA, paidOnB } from './payout.ts';

/** The payout of an outcome's contracts on both venues, in $0.0001. */
export type Paid = { a: number; b: number };

/** Legs with an unknown contract are omitted. */
export function paidOf(
  legs: readonly Leg[],
  contractOf: (ticker: string) => ContractA | undefined,
  marketOf: (token: string) => MarketB | undefined,
): Paid[] {
  return legs.flatMap(({ ticker, side, token_id }) => {
    const contract = contractOf(ticker);
    const market = marketOf(token_id);
    return contract && market ? [paidTo(contract, side, market, market.tokens[0] === token_id ? 0 : 1)] : [];
  });
}

/**
 * The payouts of both venues: for `side` of venue A's contract, and for the token at `index` of
 * venue B's market.
 */
function paidTo(
  contract: Pick<ContractA, 'pays'>,
  side: 'yes' | 'no',
  market: Pick<MarketB, 'pays'>,
  index: 0 | 1,
): Paid {
  const yes = Math.round(Number(paidOnA(contract).value) * 10_000);
  const zero = paidOnB(market);
  return { a: side === 'yes' ? yes : 10_000 - yes, b: index === 0 ? zero : 10_000 - zero };
}

export type Verdict = 'agree' | 'diverge' | 'edge_case';

/**
 * How a twin settles: alike or different in whole contracts, or by a price that replaces a result.
 */
export function verdictOf(
  { legs, unpairedLegs }: Twin,
  contractOf: (ticker: string) => ContractA | undefined,
  marketOf: (token: string) => MarketB | undefined,
  labelled: readonly ContractA[],
): Verdict {
  const known = paidOf(legs, contractOf, marketOf);
  if (known.some(({ a, b }) => a % 10_000 !== 0 || b % 10_000 !== 0)) return 'edge_case';
  // A range that came true on venue B must be covered by one that came true on venue A.
  const spanned = unpairedLegs.flatMap(({ token_id, relation, span }) => {
    const market = marketOf(token_id);
    if (relation !== 'OVERLAPS' || !market || paidOnB(market) !== 10_000) return [];
    const met = labelled.filter((one) => span.includes(labelOf(one)));
    return [met.some((one) => one.pays === 'yes')];
  });
  const alike = [...known.map(({ a, b }) => a === b), ...spanned];
  if (alike.length === 0) return 'edge_case';
  return alike.every(Boolean) ? 'agree' : 'diverge';
}
