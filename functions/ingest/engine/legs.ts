import { type Book, topOf } from '../books/book.ts';
import type { VenueCode } from '../listing.ts';
import { type FeeSchedule, feePerContract, scheduleOf } from './fees.ts';
import type { WatchedOutcome } from './watch_list.ts';

/**
 * A contract that pays $1 when an outcome comes true, with its best ask. Prices in 1e-6 USD, sizes
 * in 0.01 contract.
 */
export type Leg = {
  key: string;
  venue: VenueCode;
  side: 'yes' | 'no' | null;
  contract: string;
  book: Book;
  ask: number;
  size: number;
  /** Null when the fee schedule is unknown. `fee` is then 0, and the leg must not be chosen. */
  schedule: FeeSchedule | null;
  fee: number;
  minOrder: number | null;
  delay: number | null;
};

/** An outcome with the books of both venues, all valid. */
export type PricedOutcome = { outcome: WatchedOutcome; a: Book; b: Book; contractA: string; contractB: string };

/**
 * Every contract that pays for the outcome at `at`, in order of preference among equals: venue_a's
 * own side; with two outcomes also the opposite side of the other outcome's venue_a contract, when
 * that is another ticker; venue_b's token. `now`: the market time of the fees, epoch ms.
 */
export function legsFor(outcomes: readonly PricedOutcome[], at: number, now: number): Leg[] {
  const own = outcomes[at];
  if (!own) return [];
  const legs: Leg[] = [];
  const { key } = own.outcome;
  const feeA = ({ outcome }: PricedOutcome) => scheduleOf(outcome.fee_a, now);
  const sideOf = ({ outcome }: PricedOutcome): 'yes' | 'no' => outcome.side_a ?? 'yes';
  addLeg(legs, key, 'venue_a', sideOf(own), own.contractA, own.a, feeA(own), own.outcome.min_a, null);
  const other = outcomes.length === 2 ? outcomes[1 - at] : undefined;
  if (other && other.contractA !== own.contractA) {
    const opposite = sideOf(other) === 'yes' ? 'no' : 'yes';
    addLeg(legs, key, 'venue_a', opposite, other.contractA, other.a, feeA(other), other.outcome.min_a, null);
  }
  const feeB = scheduleOf(own.outcome.fee_b, now);
  addLeg(legs, key, 'venue_b', null, own.contractB, own.b, feeB, own.outcome.min_b, own.outcome.delay_b);
  return legs;
}

/**
 * The cheapest leg of each outcome, fees included, so that both venues appear. Null when that is
 * impossible. If the cheapest legs are all on one venue, one outcome is moved to the other venue:
 * the one whose change costs least. A second change would only add cost.
 */
export function chooseLegs(offered: readonly Leg[][]): Leg[] | null {
  const cheapest = cheapestLegs(offered);
  const venue = cheapest?.[0]?.venue;
  if (!cheapest || venue === undefined) return null;
  if (cheapest.some((leg) => leg.venue !== venue)) return cheapest;
  let best: Leg[] | null = null;
  for (const [at, legs] of offered.entries()) {
    const swap = cheapestOf(legs.filter((leg) => leg.venue !== venue));
    if (!swap) continue;
    const swapped = cheapest.with(at, swap);
    const gain = best === null ? -1 : costOf(swapped) - costOf(best);
    if (best === null || gain < 0 || (gain === 0 && sizeOf(swapped) > sizeOf(best))) best = swapped;
  }
  return best;
}

/** The cheapest leg of each outcome on any venue. Null when an outcome has no leg. */
export function cheapestLegs(offered: readonly Leg[][]): Leg[] | null {
  const chosen: Leg[] = [];
  for (const legs of offered) {
    const leg = cheapestOf(legs);
    if (!leg) return null;
    chosen.push(leg);
  }
  return chosen;
}

/** Cost of $1 of payout, in 1e-6 USD. */
export function costOf(legs: readonly Leg[]): number {
  let cost = 0;
  for (const leg of legs) cost += leg.ask + leg.fee;
  return cost;
}

/** Number of every leg that can be bought at the quoted asks, in 0.01 contract. */
export function sizeOf(legs: readonly Leg[]): number {
  let size = Number.POSITIVE_INFINITY;
  for (const leg of legs) if (leg.size < size) size = leg.size;
  return size;
}

function cheapestOf(legs: readonly Leg[]): Leg | null {
  let best: Leg | null = null;
  for (const leg of legs) {
    const difference = best === null ? -1 : leg.ask + leg.fee - best.ask - best.fee;
    if (best === null || difference < 0 || (difference === 0 && leg.size > best.size)) best = leg;
  }
  return best;
}

function addLeg(
  legs: Leg[],
  key: string,
  venue: VenueCode,
  side: 'yes' | 'no' | null,
  contract: string,
  book: Book,
  schedule: FeeSchedule | null,
  minOrder: number | null,
  delay: number | null,
): void {
  const { ask, size } = topOf(book, side);
  if (ask === null || size === null) return;
  const fee = schedule ? feePerContract(schedule, ask) : 0;
  legs.push({ key, venue, side, contract, book, ask, size, schedule, fee, minOrder, delay });
}
