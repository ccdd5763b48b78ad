/**
 * One contract that pays $1 if an outcome comes true. `ask` in $0.0001, `cost` (ask and fee) in
 * $0.000001, `size` in 0.01 contract.
 */
export type Offer = { venue: 'a' | 'b'; ask: number; cost: number; size: number; minSize: number };

/**
 * One offer for each outcome: their total cost, and how many sets are available at these prices.
 */
export type OfferSet = { cost: number; size: number; cheapest: boolean };

const DOLLAR_UNITS = 1_000_000;
/**
 * Venue A's balance changes in whole cents, so each order there may cost up to one cent more. In
 * 1e-8 dollars, like cost times size.
 */
const CENT_UNITS = 1_000_000;

/**
 * The cheapest set of one offer per outcome, from both venues, that pays a guaranteed profit: it
 * costs less than $1, its size is a valid order on venue B, and its profit exceeds one cent per
 * order on venue A. Every size at which an offer ends is tried, so that a thin offer does not hide
 * a more expensive set with a profit. `cheapest`: no cheaper set exists at any size.
 */
export function bestSet(outcomes: readonly (readonly Offer[])[]): OfferSet | null {
  // Most books end here.
  let floor = 0;
  for (const offers of outcomes) floor += offers.reduce((least, { cost }) => Math.min(least, cost), DOLLAR_UNITS);
  if (floor >= DOLLAR_UNITS) return null;
  const plain = chooseOffers(outcomes, ({ cost }) => cost);
  if (!plain) return null;
  const size = plain.reduce((least, one) => Math.min(least, one.size), Number.POSITIVE_INFINITY);
  if (payoutOf(plain, size)) return { cost: costOf(plain), size, cheapest: true };
  let best: OfferSet | null = null;
  for (const at of new Set(outcomes.flat().map((one) => one.size))) {
    const deep = outcomes.map((offers) => offers.filter((one) => one.size >= at && orderable(one, at)));
    const set = chooseOffers(deep, ({ cost, venue }) => cost * at + (venue === 'a' ? CENT_UNITS : 0));
    if (!set || !payoutOf(set, at)) continue;
    const cost = costOf(set);
    if (!best || cost < best.cost) best = { cost, size: at, cheapest: false };
  }
  return best;
}

/**
 * The offer of each outcome with the lowest `weight`. If all are on one venue, the outcome with the
 * smallest difference takes its offer of the other venue.
 */
function chooseOffers(outcomes: readonly (readonly Offer[])[], weight: (offer: Offer) => number): Offer[] | null {
  const least = (offers: readonly Offer[]) =>
    offers.reduce<Offer | null>((best, one) => {
      if (!best) return one;
      const apart = weight(one) - weight(best);
      return apart < 0 || (apart === 0 && one.size > best.size) ? one : best;
    }, null);
  const set: Offer[] = [];
  for (const offers of outcomes) {
    const one = least(offers);
    if (!one) return null;
    set.push(one);
  }
  const [first] = set;
  if (!first || set.some((one) => one.venue !== first.venue)) return set;
  let change: { at: number; to: Offer; extra: number } | null = null;
  for (const [at, offers] of outcomes.entries()) {
    const to = least(offers.filter((one) => one.venue !== first.venue));
    const was = set[at];
    if (!to || !was) continue;
    const extra = weight(to) - weight(was);
    if (!change || extra < change.extra) change = { at, to, extra };
  }
  if (!change) return null;
  set[change.at] = change.to;
  return set;
}

/** Venue B accepts no order below its minimum size, and no buy order for less than $1. */
function orderable({ venue, ask, minSize }: Offer, size: number): boolean {
  return venue === 'a' || (size >= minSize && size * ask >= DOLLAR_UNITS);
}

const costOf = (set: readonly Offer[]): number => set.reduce((sum, one) => sum + one.cost, 0);

function payoutOf(set: readonly Offer[], size: number): boolean {
  const orders = set.filter((one) => one.venue === 'a').length;
  return costOf(set) * size + orders * CENT_UNITS < DOLLAR_UNITS * size && set.every((one) => orderable(one, size));
}
