import { feePerContract, scheduleOf } from '../../../functions/ingest/engine/fees.ts';
import { MAX_VENUE_DISTANCE } from '../../../functions/ingest/engine/polarity.ts';
import type { Market, Venue } from './frames.ts';
import type { MarketTerms, OutcomeFees } from './market_terms.ts';

/** The edge in points of the $1 payout. Without one, `why` is the reason as a sentence. */
export type Edge = { points: number; why: null } | { points: null; why: string };

/** Prices and costs below are integers of 1e-6 USD. */
type Asks = { venue_a: number | null; venue_b: number | null };

const ONE_USD = 1_000_000;

/** Risks that mean: one contract of each outcome does not always pay $1. */
const partialOutcomes = new Set(['partition_gap', 'several_can_pay']);

/**
 * The profit of one contract of each outcome at the best asks, after the fees of both venues. An
 * arithmetic of prices: whether it is an opportunity is decided by the service, with sizes, gates
 * and books.
 */
export function edgeOfMarket(market: Market, terms: MarketTerms | undefined, at: number): Edge {
  if (!market.settlement) return none('The settlement risks of this market are not loaded yet.');
  if (market.factors || market.settlement.risks.some((risk) => partialOutcomes.has(risk.event)))
    return none('The outcomes do not cover every result, so one of each does not always pay $1.');
  if (market.outcomes.length < 2) return none('There are no valid order books on both venues.');
  if (!terms) return none('The fees are not loaded yet.');
  return edgeOfAsks(market.outcomes, terms, at);
}

/** The edge of asks in USD, at the fees of a time (epoch ms). */
export function edgeOfAsks(
  outcomes: readonly (Asks & { key: string })[],
  { fees }: Pick<MarketTerms, 'fees'>,
  at: number,
): Edge {
  const costs: Asks[] = [];
  for (const { key, venue_a, venue_b } of outcomes) {
    if (venue_a === null || venue_b === null) return none('An outcome has no ask on one of the venues.');
    const [a, b] = [micro(venue_a), micro(venue_b)];
    if (Math.abs(a - b) > MAX_VENUE_DISTANCE)
      return none('The venues price one outcome more than 15 points apart, so it may not be the same contract.');
    costs.push({
      venue_a: netCost(a, fees.get(key), 'venue_a', at),
      venue_b: netCost(b, fees.get(key), 'venue_b', at),
    });
  }
  const cost = cheapestCost(costs);
  if (cost === null) return none('The fee of a contract is unknown.');
  return { points: (ONE_USD - cost) / 10_000, why: null };
}

/**
 * The cost of one of each outcome, each on its cheaper venue, with both venues used. If all are
 * cheaper on one venue, one outcome moves: the one whose change costs least. Null when impossible.
 * It is the rule of chooseLegs in functions/ingest/engine/legs.ts.
 */
export function cheapestCost(costs: readonly Asks[]): number | null {
  let sum = 0;
  let usesA = false;
  let usesB = false;
  let change = Number.POSITIVE_INFINITY;
  for (const { venue_a, venue_b } of costs) {
    if (venue_a === null && venue_b === null) return null;
    const [a, b] = [venue_a ?? Number.POSITIVE_INFINITY, venue_b ?? Number.POSITIVE_INFINITY];
    sum += Math.min(a, b);
    usesA ||= a <= b;
    usesB ||= b <= a;
    change = Math.min(change, Math.abs(a - b));
  }
  const cost = usesA && usesB ? sum : sum + change;
  return Number.isFinite(cost) && costs.length > 1 ? cost : null;
}

function netCost(ask: number, fees: OutcomeFees | undefined, venue: Venue, at: number): number | null {
  const schedule = scheduleOf(fees?.[venue] ?? null, at);
  return schedule && ask + feePerContract(schedule, ask);
}

const micro = (usd: number): number => Math.round(usd * ONE_USD);

const none = (why: string): Edge => ({ points: null, why });
