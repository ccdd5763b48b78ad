import { topOf } from '../books/book.ts';
import type { BookEntry, BookStore, InvalidReason } from '../books/book_store.ts';
import { ONE_USD, productUp } from '../decimal.ts';
import type { VenueCode } from '../listing.ts';
import { cheapestLegs, chooseLegs, costOf, type Leg, legsFor, type PricedOutcome, sizeOf } from './legs.ts';
import { exceedsVenueDistance, isInverted } from './polarity.ts';
import { sizeCurveOf } from './size_curve.ts';
import type { WatchedOutcome, WatchedPair } from './watch_list.ts';

/**
 * One contract to buy. `ask` and `fee` in 1e-6 USD a contract, `stake` in 1e-6 of the total cost,
 * `size` in 0.01 contract, `delay` in seconds.
 */
export type OpportunityLeg = {
  key: string;
  venue: VenueCode;
  side: 'yes' | 'no' | null;
  contract: string;
  ask: number;
  fee: number;
  stake: number;
  /** Size of the book at this ask. */
  size: number;
  delay: number | null;
};

/**
 * `cost` is the cost of $1 of payout and `wager` the total cost, both in 1e-6 USD; sizes in 0.01
 * contract. `ladder` is the size curve, its costs in 1e-8 USD, as text because they may exceed
 * 2^53.
 */
export type Opportunity = {
  cost: number;
  size: number;
  wager: number;
  legs: OpportunityLeg[];
  ladder: { size: number; cost: string }[];
};

/**
 * Why a pair with open gates has no opportunity. Besides the invalid reasons of a book:
 * - price.inverted: the two venues price an outcome as each other's opposite; the mapping may be
 *   wrong
 * - book.one_sided: an outcome's own contract has no ask on one of the venues
 *
 * The other codes are set only where the asks alone would leave an edge:
 * - fee.unknown: the fee schedule of a needed contract is unknown
 * - venues.one: only the contracts of one venue together cost less than $1
 * - size.minimum_unknown: the smallest order of a contract is unknown
 * - size.below_minimum: the offered size is below the smallest order
 * - profit.below_rounding: rounding an order to the cent may take the whole profit
 * - price.distance: the venues price one outcome too far apart for the same contract
 */
export type RejectionCode =
  | InvalidReason
  | 'price.inverted'
  | 'book.one_sided'
  | 'fee.unknown'
  | 'venues.one'
  | 'size.minimum_unknown'
  | 'size.below_minimum'
  | 'profit.below_rounding'
  | 'price.distance';

/**
 * `about` names the contract or the outcome. `since` is the start of the invalid period of the
 * book, market time in epoch ms.
 */
export type Rejection = { refused: RejectionCode; about: string; since: number | null };

/** Profit that rounding one order to the cent may take, in 1e-6 USD. */
const MAX_ROUNDING_LOSS = 10_000;
/** Smallest marketable buy order of venue_b, $1 (venues.md B3), in 1e-8 USD. */
const MIN_BUY = 100_000_000;

/**
 * The set of contracts over both venues that costs less than it pays for every outcome, fees
 * included. Otherwise the reason why an apparent edge is none, or null when the asks leave no edge.
 * Anything beyond cheap comparisons runs only when the asks alone cost less than $1. `now` is the
 * market time of the fees, epoch ms. Without it a waived fee counts in full.
 */
export function opportunityOf(
  pair: WatchedPair,
  stores: { a: BookStore; b: BookStore },
  now = Number.POSITIVE_INFINITY,
): Opportunity | Rejection | null {
  const outcomes: PricedOutcome[] = [];
  let invalid: Rejection | null = null;
  for (const outcome of pair.outcomes) {
    const { contract_a: contractA, contract_b: contractB } = outcome;
    // An outcome without a contract on one venue cannot be hedged there. An outcome whose book has
    // no data yet is still awaited.
    if (contractA === null || contractB === null) return null;
    const a = stores.a.get(contractA);
    const b = stores.b.get(contractB);
    if (!a?.hasData || !b?.hasData) return null;
    if (pair.outcomes.length === 2 && testVenuePrices(outcome, a, b, isInverted)) {
      return reject('price.inverted', outcome.key);
    }
    invalid = earlierOf(earlierOf(invalid, invalidBookRejection(contractA, a)), invalidBookRejection(contractB, b));
    if (a.book && b.book) outcomes.push({ outcome, a: a.book, b: b.book, contractA, contractB });
  }
  if (invalid) return invalid;
  for (const { outcome, a, b, contractA, contractB } of outcomes) {
    if (topOf(a, outcome.side_a).ask === null) return reject('book.one_sided', contractA);
    if (b.ask === null) return reject('book.one_sided', contractB);
  }
  if (outcomes.length < 2 || minAskSum(outcomes) >= ONE_USD) return null;
  const offered = outcomes.map((_, at) => legsFor(outcomes, at, now));
  const known = offered.map((legs) => legs.filter((leg) => leg.schedule !== null));
  const legs = chooseLegs(known);
  if (!legs || costOf(legs) >= ONE_USD) return noEdgeReason(offered, known);
  const distant = pair.outcomes.find((outcome) => {
    const a = outcome.contract_a === null ? undefined : stores.a.get(outcome.contract_a);
    const b = outcome.contract_b === null ? undefined : stores.b.get(outcome.contract_b);
    return a && b && testVenuePrices(outcome, a, b, exceedsVenueDistance);
  });
  return checkOpportunity(legs, distant?.key ?? null);
}

/** Applies the rules on size, rounding and distance to legs that have an edge. */
function checkOpportunity(legs: readonly Leg[], distant: string | null): Opportunity | Rejection {
  const cost = costOf(legs);
  const size = sizeOf(legs);
  for (const leg of legs) if (leg.minOrder === null) return reject('size.minimum_unknown', leg.contract);
  for (const leg of legs) {
    const isTooSmall =
      size === 0 || size < (leg.minOrder ?? 0) || (leg.venue === 'venue_b' && size * leg.ask < MIN_BUY);
    if (isTooSmall) return reject('size.below_minimum', leg.contract);
  }
  const centOrders = legs.filter((leg) => leg.schedule?.roundsOrderToCents);
  const wager = productUp(cost, size, 1, 2);
  const ladder = sizeCurveOf(legs);
  // Rounding of fills may take slightly more than rounding of orders. Then the size curve has no
  // point.
  if (size * 10_000 - wager <= MAX_ROUNDING_LOSS * centOrders.length || ladder.length === 0) {
    return reject('profit.below_rounding', (centOrders[0] ?? legs[0])?.contract ?? '');
  }
  if (distant !== null) return reject('price.distance', distant);
  return { cost, size, wager, legs: withStakes(legs, cost), ladder };
}

/** Why asks below $1 leave no edge. Null when the known fees are the reason. */
function noEdgeReason(offered: readonly Leg[][], known: readonly Leg[][]): Rejection | null {
  const atBest = chooseLegs(offered);
  if (atBest && costOf(atBest) < ONE_USD) {
    const unknown = atBest.find((leg) => leg.schedule === null);
    if (unknown) return reject('fee.unknown', unknown.contract);
  }
  const cheapest = cheapestLegs(known);
  const first = cheapest?.[0];
  return cheapest && first && costOf(cheapest) < ONE_USD ? reject('venues.one', first.contract) : null;
}

/**
 * The sum of the cheapest ask of each outcome, before fees, on any venue. No choice of legs can
 * cost less.
 */
function minAskSum(outcomes: readonly PricedOutcome[]): number {
  let sum = 0;
  for (const [at, { outcome, a, b }] of outcomes.entries()) {
    let ask = Math.min(topOf(a, outcome.side_a).ask ?? ONE_USD, b.ask?.price ?? ONE_USD);
    const other = outcomes.length === 2 ? outcomes[1 - at] : undefined;
    if (other) ask = Math.min(ask, topOf(other.a, other.outcome.side_a === 'no' ? 'yes' : 'no').ask ?? ONE_USD);
    sum += ask;
  }
  return sum;
}

/** The last leg takes the rounding remainder, so that the stakes add up to the whole. */
function withStakes(legs: readonly Leg[], cost: number): OpportunityLeg[] {
  let left = ONE_USD;
  return legs.map(({ key, venue, side, contract, ask, fee, size, delay }, at) => {
    const stake = at === legs.length - 1 ? left : Math.round(((ask + fee) * ONE_USD) / cost);
    left -= stake;
    return { key, venue, side, contract, ask, fee, stake, size, delay };
  });
}

/**
 * Applies a test of polarity.ts to both venues' own prices of one outcome. False when a book is
 * invalid.
 */
function testVenuePrices(outcome: WatchedOutcome, a: BookEntry, b: BookEntry, test: typeof isInverted): boolean {
  return (
    a.invalidReason === null && b.invalidReason === null && test(topOf(a.book, outcome.side_a), topOf(b.book, null))
  );
}

function invalidBookRejection(contract: string, entry: BookEntry): Rejection | null {
  return entry.invalidReason && { refused: entry.invalidReason, about: contract, since: entry.invalidSince };
}

/**
 * Of several invalid books the one with the longest invalid period: no opportunity can exist since
 * then.
 */
function earlierOf(a: Rejection | null, b: Rejection | null): Rejection | null {
  if (a === null || b === null) return a ?? b;
  return (b.since ?? 0) < (a.since ?? 0) ? b : a;
}

function reject(refused: RejectionCode, about: string): Rejection {
  return { refused, about, since: null };
}

export function isOpportunity(opp: Opportunity | Rejection | null): opp is Opportunity {
  return opp !== null && 'legs' in opp;
}

/**
 * Whether two results are equal for a subscriber. The start of the invalid period does not count.
 */
export function isSameOpportunity(a: Opportunity | Rejection | null, b: Opportunity | Rejection | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (isOpportunity(a)) return isOpportunity(b) && isSamePurchase(a, b);
  return !isOpportunity(b) && a.refused === b.refused && a.about === b.about;
}

function isSamePurchase(a: Opportunity, b: Opportunity): boolean {
  return (
    a.cost === b.cost &&
    a.size === b.size &&
    a.legs.length === b.legs.length &&
    a.legs.every((leg, at) => isSameLeg(leg, b.legs[at])) &&
    a.ladder.length === b.ladder.length &&
    a.ladder.every((step, at) => step.size === b.ladder[at]?.size && step.cost === b.ladder[at]?.cost)
  );
}

function isSameLeg(a: OpportunityLeg, b: OpportunityLeg | undefined): boolean {
  return (
    b !== undefined &&
    a.contract === b.contract &&
    a.side === b.side &&
    a.ask === b.ask &&
    a.fee === b.fee &&
    a.size === b.size &&
    a.delay === b.delay
  );
}
