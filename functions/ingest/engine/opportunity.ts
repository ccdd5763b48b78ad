import { topOf } from '../books/book.ts';
import type { Doubt, Held, Shelf } from '../books/book_store.ts';
import { ONE_USD, productUp } from '../decimal.ts';
import type { VenueCode } from '../listing.ts';
import { cheapestLegs, chooseLegs, costOf, type Leg, legsFor, type Priced, sizeOf } from './legs.ts';
import { isInverted, tooFarApart } from './polarity.ts';
import { walk } from './size_curve.ts';
import type { WatchedOutcome, WatchedPair } from './watch_list.ts';

/** One contract to buy. Price, fee in 1e-6 USD a contract, stake in 1e-6 of the wager, size in 0.01 contract, delay in seconds. */
export type OpportunityLeg = {
  key: string;
  venue: VenueCode;
  side: 'yes' | 'no' | null;
  contract: string;
  ask: number;
  fee: number;
  stake: number;
  /** What the book holds at this ask. */
  size: number;
  delay: number | null;
};

/** Cost of $1 of payout and wager in 1e-6 USD, sizes in 0.01 contract; what the ladder costs in 1e-8 USD, as text since it may pass 2^53. */
export type Opportunity = {
  cost: number;
  size: number;
  wager: number;
  legs: OpportunityLeg[];
  ladder: { size: number; cost: string }[];
};

/**
 * Why a pair whose gates are open offers no opportunity. Besides the doubts about a book:
 * - price.inverted          the venues' prices are each other's complement: an outcome is on the wrong side
 * - book.one_sided          nobody sells an outcome's own contract on one of the venues
 * The rest are said only where there would be an edge without the rule:
 * - fee.unknown             the fee schedule of a contract that is needed is not known
 * - venues.one              only the contracts of one venue together cost less than $1
 * - size.minimum_unknown    the smallest order of a contract is not known
 * - size.below_minimum      less is offered than a venue takes as an order
 * - profit.below_rounding   the whole profit is not above what rounding an order to the cent may take
 * - price.distance          the venues price one outcome too far apart to be the same contract
 */
export type RefusalCode =
  | Doubt
  | 'price.inverted'
  | 'book.one_sided'
  | 'fee.unknown'
  | 'venues.one'
  | 'size.minimum_unknown'
  | 'size.below_minimum'
  | 'profit.below_rounding'
  | 'price.distance';

/** `about` names the contract or the outcome; `since` is from when the book in doubt is not believed (market time, epoch ms). */
export type Refusal = { refused: RefusalCode; about: string; since: number | null };

/** Whole profit that rounding may take from one order in cents, in 1e-6 USD. */
const ROUNDING = 10_000;
/** The least that venue_b takes as a buy that matches at once, $1 (venues.md B3), in 1e-8 USD. */
const LEAST_BUY = 100_000_000;

/**
 * What can be bought on both venues together for less than it pays, whichever outcome comes true, fees included; or why what looks so is
 * none; or null where there is nothing to say. Nothing but cheap comparisons happens until the asks alone cost less than $1.
 */
export function opportunityOf(pair: WatchedPair, shelves: { a: Shelf; b: Shelf }): Opportunity | Refusal | null {
  const outcomes: Priced[] = [];
  let doubted: Refusal | null = null;
  for (const outcome of pair.outcomes) {
    const { contract_a: contractA, contract_b: contractB } = outcome;
    // An outcome that one venue has no contract for cannot be hedged there, and one nobody has heard of is being waited for.
    if (contractA === null || contractB === null) return null;
    const a = shelves.a.get(contractA);
    const b = shelves.b.get(contractB);
    if (!a?.decided || !b?.decided) return null;
    if (pair.outcomes.length === 2 && crossVenue(outcome, a, b, isInverted)) {
      return refuse('price.inverted', outcome.key);
    }
    doubted = earlier(earlier(doubted, doubtOf(contractA, a)), doubtOf(contractB, b));
    if (a.book && b.book) outcomes.push({ outcome, a: a.book, b: b.book, contractA, contractB });
  }
  if (doubted) return doubted;
  for (const { outcome, a, b, contractA, contractB } of outcomes) {
    if (topOf(a, outcome.side_a).ask === null) return refuse('book.one_sided', contractA);
    if (b.ask === null) return refuse('book.one_sided', contractB);
  }
  if (outcomes.length < 2 || askSum(outcomes) >= ONE_USD) return null;
  const offered = outcomes.map((_, at) => legsFor(outcomes, at));
  const known = offered.map((legs) => legs.filter((leg) => leg.schedule !== null));
  const legs = chooseLegs(known);
  if (!legs || costOf(legs) >= ONE_USD) return whyNoEdge(offered, known);
  const far = pair.outcomes.find((outcome) => {
    const a = outcome.contract_a === null ? undefined : shelves.a.get(outcome.contract_a);
    const b = outcome.contract_b === null ? undefined : shelves.b.get(outcome.contract_b);
    return a && b && crossVenue(outcome, a, b, tooFarApart);
  });
  return judge(legs, far?.key ?? null);
}

/** An edge that is there before these rules, under each of them. */
function judge(legs: readonly Leg[], far: string | null): Opportunity | Refusal {
  const cost = costOf(legs);
  const size = sizeOf(legs);
  for (const leg of legs) if (leg.min === null) return refuse('size.minimum_unknown', leg.contract);
  for (const leg of legs) {
    const few = size === 0 || size < (leg.min ?? 0) || (leg.venue === 'venue_b' && size * leg.ask < LEAST_BUY);
    if (few) return refuse('size.below_minimum', leg.contract);
  }
  const inCents = legs.filter((leg) => leg.schedule?.orderInCents);
  const wager = productUp(cost, size, 1, 2);
  const ladder = walk(legs);
  // The rounding of fills may take a little more than that of orders; then the books are not worth walking at all.
  if (size * 10_000 - wager <= ROUNDING * inCents.length || ladder.length === 0) {
    return refuse('profit.below_rounding', (inCents[0] ?? legs[0])?.contract ?? '');
  }
  if (far !== null) return refuse('price.distance', far);
  return { cost, size, wager, legs: withStakes(legs, cost), ladder };
}

/** Why asks that cost less than $1 leave no edge: null where it is only the fees that are known. */
function whyNoEdge(offered: readonly Leg[][], known: readonly Leg[][]): Refusal | null {
  const atBest = chooseLegs(offered);
  if (atBest && costOf(atBest) < ONE_USD) {
    const unknown = atBest.find((leg) => leg.schedule === null);
    if (unknown) return refuse('fee.unknown', unknown.contract);
  }
  const ofOne = cheapestLegs(known);
  const first = ofOne?.[0];
  return ofOne && first && costOf(ofOne) < ONE_USD ? refuse('venues.one', first.contract) : null;
}

/** The plain sum of each outcome's cheapest ask, before fees, whatever the venue: what no choice of legs can undercut. */
function askSum(outcomes: readonly Priced[]): number {
  let sum = 0;
  for (const [at, { outcome, a, b }] of outcomes.entries()) {
    let ask = Math.min(topOf(a, outcome.side_a).ask ?? ONE_USD, b.ask?.price ?? ONE_USD);
    const other = outcomes.length === 2 ? outcomes[1 - at] : undefined;
    if (other) ask = Math.min(ask, topOf(other.a, other.outcome.side_a === 'no' ? 'yes' : 'no').ask ?? ONE_USD);
    sum += ask;
  }
  return sum;
}

/** The last leg takes what rounding leaves, so that the stakes are the whole. */
function withStakes(legs: readonly Leg[], cost: number): OpportunityLeg[] {
  let left = ONE_USD;
  return legs.map(({ key, venue, side, contract, ask, fee, size, delay }, at) => {
    const stake = at === legs.length - 1 ? left : Math.round(((ask + fee) * ONE_USD) / cost);
    left -= stake;
    return { key, venue, side, contract, ask, fee, stake, size, delay };
  });
}

/** Both venues' own prices of one outcome under a test of polarity.ts; a book in doubt says nothing. */
function crossVenue(outcome: WatchedOutcome, a: Held, b: Held, test: typeof isInverted): boolean {
  return a.doubt === null && b.doubt === null && test(topOf(a.book, outcome.side_a), topOf(b.book, null));
}

function doubtOf(contract: string, held: Held): Refusal | null {
  return held.doubt && { refused: held.doubt, about: contract, since: held.doubtSince };
}

/** Of several books in doubt the one that has been so for longest: since then there can have been no opportunity. */
function earlier(a: Refusal | null, b: Refusal | null): Refusal | null {
  if (a === null || b === null) return a ?? b;
  return (b.since ?? 0) < (a.since ?? 0) ? b : a;
}

function refuse(refused: RefusalCode, about: string): Refusal {
  return { refused, about, since: null };
}

export function isOpportunity(opp: Opportunity | Refusal | null): opp is Opportunity {
  return opp !== null && 'legs' in opp;
}

/** Whether a reader would see a difference. When a doubt began is none: it is the same refusal. */
export function sameOpportunity(a: Opportunity | Refusal | null, b: Opportunity | Refusal | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (isOpportunity(a)) return isOpportunity(b) && sameBuy(a, b);
  return !isOpportunity(b) && a.refused === b.refused && a.about === b.about;
}

function sameBuy(a: Opportunity, b: Opportunity): boolean {
  return (
    a.cost === b.cost &&
    a.size === b.size &&
    a.legs.length === b.legs.length &&
    a.legs.every((leg, at) => sameLeg(leg, b.legs[at])) &&
    a.ladder.length === b.ladder.length &&
    a.ladder.every((step, at) => step.size === b.ladder[at]?.size && step.cost === b.ladder[at]?.cost)
  );
}

function sameLeg(a: OpportunityLeg, b: OpportunityLeg | undefined): boolean {
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
