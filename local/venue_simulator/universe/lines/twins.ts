import type { ContractA, EventA, Leg, MarketB, Twin } from '../question.ts';

type Placed = { slug: string; market: MarketB };
type Kind = { family: 'total' | 'spread' | 'team_total'; names: (market: MarketB) => readonly [string, string] };

/**
 * Pairs venue A's contracts with venue B's markets. `same` tests whether two state one line. YES
 * pairs with token 0 (the over, or the team that gives points), NO with token 1.
 */
export function lineTwins(
  { family, names }: Kind,
  event: EventA,
  placed: readonly Placed[],
  same: (contract: ContractA, market: MarketB) => boolean,
): Twin[] {
  return event.contracts.flatMap((contract) => {
    const found = placed.find(({ market }) => same(contract, market));
    if (!found) return [];
    const { slug, market } = found;
    const [over, under] = names(market);
    const legs: Leg[] = [
      { name: over, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] },
      { name: under, ticker: contract.ticker, side: 'no', token_id: market.tokens[1] },
    ];
    const line = Number(market.fields.line);
    return [{ family, event_ticker: event.ticker, event_slug: slug, line, legs, unpairedLegs: [], defect: null }];
  });
}
