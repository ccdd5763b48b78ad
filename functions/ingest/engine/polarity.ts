import { ONE_USD } from '../decimal.ts';

/** Best bid and ask in 1e-6 USD. Null when that side is empty or its book is invalid. */
export type BidAsk = { bid: number | null; ask: number | null };

/**
 * A mid is used only when bid and ask are at most this far apart, in 1e-6 USD. The price of
 * a wider book may be far from its mid.
 */
const MAX_SPREAD_FOR_MID = 100_000;
/**
 * An outcome is inverted when the two mids differ by at least the first bound and one mid is within
 * the second bound of the complement of the other (both in 1e-6 USD). 6 of 34 matches of one
 * project were inverted, with spreads of 86 to 97 points (venues.md C1, X7). Between 30 % and 70 %
 * the two orientations cannot be distinguished, so the test does not apply there.
 */
const INVERTED_MIN_DISTANCE = 400_000;
const INVERTED_MAX_DEVIATION = 100_000;

/** Twice the mid, so that it stays an integer. Null when there is no mid. */
function twiceMid({ bid, ask }: BidAsk): number | null {
  return bid !== null && ask !== null && ask - bid <= MAX_SPREAD_FOR_MID ? bid + ask : null;
}

/** Whether two venues price the same outcome as each other's opposite. */
export function isInverted(a: BidAsk, b: BidAsk): boolean {
  const midA = twiceMid(a);
  const midB = twiceMid(b);
  if (midA === null || midB === null) return false;
  return (
    Math.abs(midA - midB) >= 2 * INVERTED_MIN_DISTANCE &&
    Math.abs(midA + midB - 2 * ONE_USD) <= 2 * INVERTED_MAX_DEVIATION
  );
}

/**
 * The first inverted outcome of a two-outcome pair, or -1. With three outcomes a complement has no
 * meaning.
 */
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

/**
 * Minimum distance between two venues' prices of one outcome, in 2e-6 USD: between mids where both
 * exist, else between the ranges from bid to ask.
 */
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
 * Maximum distance between two venues' prices of equal contracts, in 1e-6 USD: twice the largest
 * distance of mids that was measured between equal contracts (0.075; 0.015 on average; census of
 * 2026-10-06, venues.md X9). It also stops an inverted outcome wherever the price is more than
 * 0.075 from 50 %, long before `isInverted` can detect it.
 */
export const MAX_VENUE_DISTANCE = 150_000;

/** Whether two venues price one outcome too far apart for the same contract. */
export function exceedsVenueDistance(a: BidAsk, b: BidAsk): boolean {
  return twiceDistance(a, b) > 2 * MAX_VENUE_DISTANCE;
}
