import type { VenueCode } from '../listing.ts';
import type { Doubt } from './shelf.ts';

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
