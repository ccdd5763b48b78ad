import { labelOf } from '../universe/listing/listing_a.ts';
import type { ContractA, MarketB, Twin } from '../universe/question.ts';
import { paidOnA, paidOnB } from './payout.ts';

export type Verdict = 'agree' | 'diverge' | 'edge_case';

/** How the two sides of a twin will have settled: alike or not in whole contracts, or by a price that stands in for a result. */
export function verdictOf(
  { legs, loose }: Twin,
  contractOf: (ticker: string) => ContractA | undefined,
  marketOf: (token: string) => MarketB | undefined,
  labelled: readonly ContractA[],
): Verdict {
  const compared = legs.map(({ ticker, side, token_id }) => {
    const contract = contractOf(ticker);
    const market = marketOf(token_id);
    if (!contract || !market) return null;
    const yes = Math.round(Number(paidOnA(contract).value) * 10_000);
    const zero = paidOnB(market);
    return {
      a: side === 'yes' ? yes : 10_000 - yes,
      b: market.tokens[0] === token_id ? zero : 10_000 - zero,
    };
  });
  const known = compared.filter((one) => one !== null);
  if (known.some(({ a, b }) => a % 10_000 !== 0 || b % 10_000 !== 0)) return 'edge_case';
  // A band that came true on venue B must be met by one that came true on venue A.
  const spanned = loose.flatMap(({ token_id, relation, span }) => {
    const market = marketOf(token_id);
    if (relation !== 'OVERLAPS' || !market || paidOnB(market) !== 10_000) return [];
    const met = labelled.filter((one) => span.includes(labelOf(one)));
    return [met.some((one) => one.pays === 'yes')];
  });
  const alike = [...known.map(({ a, b }) => a === b), ...spanned];
  if (alike.length === 0) return 'edge_case';
  return alike.every(Boolean) ? 'agree' : 'diverge';
}
