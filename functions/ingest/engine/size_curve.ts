import { centi, complement } from '../books/book.ts';
import { feeOfFill } from './fees.ts';
import type { Leg } from './legs.ts';

/** Size in 0.01 contract; cost of that many of every leg in 1e-8 USD, as text since it may pass 2^53. */
export type Step = { size: number; cost: string };

/** So many points draw the curve; a reader who wants more has the books. */
const MOST_STEPS = 20;
/** In 1e-8 USD. */
const CENT = 1_000_000;
/** Of 1e-6 USD, the unit of fees. */
const FEE_PER_CENT = 10_000;

/**
 * What it costs to buy the same number of every leg, deeper and deeper into the books, with each venue's real rounding: a step wherever a
 * leg's book moves on to its next price, from the quoted size on, until the whole costs what it pays, one book ends, or twenty steps.
 * A price level counts as one fill. It may be many resting orders, each with its own rounding, but no book tells.
 *
 * Amounts are whole cents and what is left below one in 1e-8 USD, two plain integers: exact however large, and bigints took ten times as
 * long. 0.01 contract pays one cent, so that the payout of a size is that many cents.
 */
export function walk(legs: readonly Leg[]): Step[] {
  const orders = legs.map((leg) => new Order(leg));
  const steps: Step[] = [];
  let size = 0;
  while (steps.length < MOST_STEPS) {
    let more = Number.POSITIVE_INFINITY;
    for (const order of orders) more = Math.min(more, order.left);
    if (more === 0) break;
    size += more;
    let cents = 0;
    let rest = 0;
    for (const order of orders) {
      order.take(more);
      cents += order.cents;
      rest += order.rest;
    }
    const carried = Math.floor(rest / CENT);
    cents += carried;
    if (cents >= size) break;
    steps.push({ size, cost: written(cents, rest - carried * CENT) });
    for (const order of orders) order.advance();
  }
  return steps;
}

/** One order that eats into a book, best price first. */
class Order {
  /** What all that was taken costs, rounded as the venue does: whole cents, and 1e-8 USD beyond them. */
  cents = 0;
  rest = 0;
  /** What is left of the level it stands at, in 0.01 contract. */
  left = 0;
  private readonly leg: Leg;
  private level = -1;
  private price = 0;
  private taken = 0;
  /** All fills with their fees before the order is rounded, and those of the levels behind it. */
  private centsSoFar = 0;
  private restSoFar = 0;
  private centsBehind = 0;
  private restBehind = 0;

  constructor(leg: Leg) {
    this.leg = leg;
    this.advance();
  }

  /** Takes from the level it stands at, with those behind it as they were. */
  take(size: number): void {
    this.taken += size;
    this.left -= size;
    const fee = this.leg.schedule ? feeOfFill(this.leg.schedule, this.price, this.taken) : 0;
    const feeCents = Math.floor(fee / FEE_PER_CENT);
    // A million times 0.01 contract cost as many whole cents as the price has 1e-6 USD.
    const millions = Math.floor(this.taken / CENT);
    const below = this.restBehind + this.price * (this.taken - millions * CENT) + (fee - feeCents * FEE_PER_CENT) * 100;
    const carried = Math.floor(below / CENT);
    this.centsSoFar = this.centsBehind + this.price * millions + feeCents + carried;
    this.restSoFar = below - carried * CENT;
    // The venue gives back whole cents of what its fills were rounded by, so that one cent an order is the most that is lost.
    const up = this.restSoFar > 0 && this.leg.schedule?.orderInCents === true;
    this.cents = up ? this.centsSoFar + 1 : this.centsSoFar;
    this.rest = up ? 0 : this.restSoFar;
  }

  /** On to the next level that holds a hundredth of a contract, when this one is eaten up. */
  advance(): void {
    if (this.left > 0) return;
    this.centsBehind = this.centsSoFar;
    this.restBehind = this.restSoFar;
    this.taken = 0;
    const { bids, asks } = this.leg.book;
    const no = this.leg.side === 'no';
    const { prices, sizes } = no ? bids : asks;
    while (this.left === 0 && this.level + 1 < prices.length) {
      this.level += 1;
      // The best bid stands last, the best ask first.
      const at = no ? prices.length - 1 - this.level : this.level;
      const price = prices[at] ?? 0;
      this.price = no ? complement(price) : price;
      this.left = centi(sizes[at] ?? 0);
    }
  }
}

function written(cents: number, rest: number): string {
  return cents === 0 ? String(rest) : `${cents}${String(rest).padStart(6, '0')}`;
}
