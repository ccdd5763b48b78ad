import { complement, toHundredths } from '../books/book.ts';
import { feeOfFill } from './fees.ts';
import type { Leg } from './legs.ts';

/**
 * `size` in 0.01 contract. `cost` of that many of every leg in 1e-8 USD, as text because it may
 * exceed 2^53.
 */
export type SizeCurvePoint = { size: number; cost: string };

/** Twenty points are enough to draw the curve. */
const MAX_POINTS = 20;
/** In 1e-8 USD. */
const ONE_CENT = 1_000_000;
/** Fees are in 1e-6 USD. */
const FEE_UNITS_PER_CENT = 10_000;

/**
 * The cost of buying the same number of every leg at growing size, with each venue's rounding.
 * There is a point wherever the book of a leg moves to its next price. The curve starts at the
 * quoted size and ends when the cost reaches the payout, when a book ends, or after twenty points.
 * A price level counts as one fill: it may be several resting orders with their own rounding, but a
 * book does not list orders.
 *
 * Amounts are whole cents plus a remainder in 1e-8 USD, two plain integers. They are exact at any
 * size, and bigints took ten times as long. 0.01 contract pays one cent, so the payout of a size is
 * that number of cents.
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

/** One order that fills against a book, best price first. */
class Order {
  /** Cost of all fills after the venue's rounding: whole cents, and a remainder in 1e-8 USD. */
  cents = 0;
  rest = 0;
  /** Size that is left at the current level, in 0.01 contract. */
  remaining = 0;
  readonly #leg: Leg;
  #level = -1;
  #price = 0;
  #filled = 0;
  /**
   * Cost of all fills with fees, before the order is rounded; then the same without the current
   * level.
   */
  #totalCents = 0;
  #totalRest = 0;
  #earlierCents = 0;
  #earlierRest = 0;

  constructor(leg: Leg) {
    this.#leg = leg;
    this.nextLevel();
  }

  /** Fills at the current level. */
  fill(size: number): void {
    this.#filled += size;
    this.remaining -= size;
    const fee = this.#leg.schedule ? feeOfFill(this.#leg.schedule, this.#price, this.#filled) : 0;
    const feeCents = Math.floor(fee / FEE_UNITS_PER_CENT);
    // At a price of p in 1e-6 USD, a million times 0.01 contract costs p whole cents.
    const millions = Math.floor(this.#filled / ONE_CENT);
    const below =
      this.#earlierRest +
      this.#price * (this.#filled - millions * ONE_CENT) +
      (fee - feeCents * FEE_UNITS_PER_CENT) * 100;
    const carried = Math.floor(below / ONE_CENT);
    this.#totalCents = this.#earlierCents + this.#price * millions + feeCents + carried;
    this.#totalRest = below - carried * ONE_CENT;
    // The venue pays back whole cents of the rounding of its fills, so an order loses at most one
    // cent.
    const up = this.#totalRest > 0 && this.#leg.schedule?.roundsOrderToCents === true;
    this.cents = up ? this.#totalCents + 1 : this.#totalCents;
    this.rest = up ? 0 : this.#totalRest;
  }

  /** Moves to the next level with at least 0.01 contract when the current one is used up. */
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
      // The best bid is the last one, the best ask the first one.
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
