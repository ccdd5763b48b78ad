import { complement, toHundredths } from '../books/book.ts';
import { feeOfFill } from './fees.ts';
import type { Leg } from './legs.ts';

/** Size in 0.01 contract; cost of that many of every leg in 1e-8 USD, as text since it may pass 2^53. */
export type SizeCurvePoint = { size: number; cost: string };

/** So many points draw the curve; a reader who wants more has the books. */
const MAX_POINTS = 20;
/** In 1e-8 USD. */
const ONE_CENT = 1_000_000;
/** Of 1e-6 USD, the unit of fees. */
const FEE_UNITS_PER_CENT = 10_000;

/**
 * What it costs to buy the same number of every leg, deeper and deeper into the books, with each venue's real rounding: a step wherever a
 * leg's book moves on to its next price, from the quoted size on, until the whole costs what it pays, one book ends, or twenty steps.
 * A price level counts as one fill. It may be many resting orders, each with its own rounding, but no book tells.
 *
 * Amounts are whole cents and what is left below one in 1e-8 USD, two plain integers: exact however large, and bigints took ten times as
 * long. 0.01 contract pays one cent, so that the payout of a size is that many cents.
 */
export function sizeCurveOf(legs: readonly Leg[]): SizeCurvePoint[] {
  const orders = legs.map((leg) => new Order(leg));
  const points: SizeCurvePoint[] = [];
  let size = 0;
  while (points.length < MAX_POINTS) {
    let chunk = Number.POSITIVE_INFINITY;
    for (const order of orders) chunk = Math.min(chunk, order.remaining);
    if (chunk === 0) break;
    size += chunk;
    let cents = 0;
    let rest = 0;
    for (const order of orders) {
      order.fill(chunk);
      cents += order.cents;
      rest += order.rest;
    }
    const carried = Math.floor(rest / ONE_CENT);
    cents += carried;
    if (cents >= size) break;
    points.push({ size, cost: amountText(cents, rest - carried * ONE_CENT) });
    for (const order of orders) order.nextLevel();
  }
  return points;
}

/** One order that eats into a book, best price first. */
class Order {
  /** What all that was taken costs, rounded as the venue does: whole cents, and 1e-8 USD beyond them. */
  cents = 0;
  rest = 0;
  /** What is left of the level it stands at, in 0.01 contract. */
  remaining = 0;
  readonly #leg: Leg;
  #level = -1;
  #price = 0;
  #filled = 0;
  /** All fills with their fees before the order is rounded, and those of the levels behind it. */
  #totalCents = 0;
  #totalRest = 0;
  #earlierCents = 0;
  #earlierRest = 0;

  constructor(leg: Leg) {
    this.#leg = leg;
    this.nextLevel();
  }

  /** Takes from the level it stands at, with those behind it as they were. */
  fill(size: number): void {
    this.#filled += size;
    this.remaining -= size;
    const fee = this.#leg.schedule ? feeOfFill(this.#leg.schedule, this.#price, this.#filled) : 0;
    const feeCents = Math.floor(fee / FEE_UNITS_PER_CENT);
    // A million times 0.01 contract cost as many whole cents as the price has 1e-6 USD.
    const millions = Math.floor(this.#filled / ONE_CENT);
    const below =
      this.#earlierRest +
      this.#price * (this.#filled - millions * ONE_CENT) +
      (fee - feeCents * FEE_UNITS_PER_CENT) * 100;
    const carried = Math.floor(below / ONE_CENT);
    this.#totalCents = this.#earlierCents + this.#price * millions + feeCents + carried;
    this.#totalRest = below - carried * ONE_CENT;
    // The venue gives back whole cents of what its fills were rounded by, so that one cent an order is the most that is lost.
    const up = this.#totalRest > 0 && this.#leg.schedule?.roundsOrderToCents === true;
    this.cents = up ? this.#totalCents + 1 : this.#totalCents;
    this.rest = up ? 0 : this.#totalRest;
  }

  /** On to the next level that holds a hundredth of a contract, when this one is eaten up. */
  nextLevel(): void {
    if (this.remaining > 0) return;
    this.#earlierCents = this.#totalCents;
    this.#earlierRest = this.#totalRest;
    this.#filled = 0;
    const { bids, asks } = this.#leg.book;
    const no = this.#leg.side === 'no';
    const { prices, sizes } = no ? bids : asks;
    while (this.remaining === 0 && this.#level + 1 < prices.length) {
      this.#level += 1;
      // The best bid stands last, the best ask first.
      const at = no ? prices.length - 1 - this.#level : this.#level;
      const price = prices[at] ?? 0;
      this.#price = no ? complement(price) : price;
      this.remaining = toHundredths(sizes[at] ?? 0);
    }
  }
}

function amountText(cents: number, rest: number): string {
  return cents === 0 ? String(rest) : `${cents}${String(rest).padStart(6, '0')}`;
}
