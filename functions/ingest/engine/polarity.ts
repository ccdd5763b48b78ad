import { ONE_USD } from '../decimal.ts';

/** Best bid and ask in 1e-6 USD; null where that side is empty or its book is not believed. */
export type BidAsk = { bid: number | null; ask: number | null };

/** A mid means something only where bid and ask are this close; a wide book says no more than that the price lies in between. */
const MAX_SPREAD_FOR_MID = 100_000;
/**
 * Mids that differ by so much while one is so near the complement of the other are an outcome on the wrong side. 6 of 34 matches of one
 * project were, and showed gaps of 86 to 97 points (venues.md C1, X7). Between 30 % and 70 % the two orientations are told apart by
 * nothing, so nothing is said there.
 */
const INVERTED_MIN_DISTANCE = 400_000;
const INVERTED_MAX_DEVIATION = 100_000;

/** Twice the mid, which keeps it whole; null where there is none. */
function twiceMid({ bid, ask }: BidAsk): number | null {
  return bid !== null && ask !== null && ask - bid <= MAX_SPREAD_FOR_MID ? bid + ask : null;
}

/** Whether two venues price the same outcome as if it were each other's opposite. */
export function isInverted(a: BidAsk, b: BidAsk): boolean {
  const midA = twiceMid(a);
  const midB = twiceMid(b);
  if (midA === null || midB === null) return false;
  return (
    Math.abs(midA - midB) >= 2 * INVERTED_MIN_DISTANCE &&
    Math.abs(midA + midB - 2 * ONE_USD) <= 2 * INVERTED_MAX_DEVIATION
  );
}

/** The first outcome of a two-outcome pair whose prices are inverted, or -1. With three outcomes a complement means nothing. */
export function invertedOutcome(rows: {
  bid_a: readonly (number | null)[];
  ask_a: readonly (number | null)[];
  bid_b: readonly (number | null)[];
  ask_b: readonly (number | null)[];
}): number {
  if (rows.ask_a.length !== 2) return -1;
  for (let at = 0; at < 2; at += 1) {
    const a = { bid: rows.bid_a[at] ?? null, ask: rows.ask_a[at] ?? null };
    const b = { bid: rows.bid_b[at] ?? null, ask: rows.ask_b[at] ?? null };
    if (isInverted(a, b)) return at;
  }
  return -1;
}

/** How far two venues' prices of one outcome are apart at least, in 2e-6 USD: between mids where there are mids, else between ranges. */
function twiceDistance(a: BidAsk, b: BidAsk): number {
  const midA = twiceMid(a);
  const midB = twiceMid(b);
  const lowA = midA ?? 2 * (a.bid ?? 0);
  const highA = midA ?? 2 * (a.ask ?? ONE_USD);
  const lowB = midB ?? 2 * (b.bid ?? 0);
  const highB = midB ?? 2 * (b.ask ?? ONE_USD);
  return Math.max(lowA - highB, lowB - highA, 0);
}

/**
 * No pair of equal contracts stands so far apart: equal ones had mids within 0.075, 0.015 on average (census of 2026-10-06, venues.md X9);
 * this is twice that. It also stops an outcome on the wrong side wherever the price is not within 0.075 of 50 %, long before the two
 * orientations can be told apart for certain. In 1e-6 USD.
 */
export const MAX_VENUE_DISTANCE = 150_000;

/** Whether two venues price one outcome so far apart that it cannot be the same contract. */
export function exceedsVenueDistance(a: BidAsk, b: BidAsk): boolean {
  return twiceDistance(a, b) > 2 * MAX_VENUE_DISTANCE;
}
