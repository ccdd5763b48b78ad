import { centi, complement } from './book.ts';
import { feeOfFill } from './fees.ts';
import type { Leg } from './legs.ts';

/** Size in 0.01 contract; cost of that many of every leg in 1e-8 USD. */
export type Step = { size: number; cost: bigint };

/** So many points draw the curve; a reader who wants more has the books. */
const MOST_STEPS = 20;
/** 1e-8 USD. */
const CENT = 1_000_000n;
const PER_MICRO = 100n;

/**
 * What it costs to buy the same number of every leg, deeper and deeper into the books, with each venue's real rounding: a step wherever a
 * leg's book moves on to its next price, from the quoted size on, until the whole costs what it pays, one book ends, or twenty steps.
 * A price level counts as one fill. It may be many resting orders, each with its own rounding, but no book tells.
 */
export function walk(legs: readonly Leg[]): Step[] {
  const orders = legs.map((leg) => new Order(leg));
  const steps: Step[] = [];
  let size = 0;
  while (steps.length < MOST_STEPS && orders.every((order) => order.left > 0)) {
    const more = Math.min(...orders.map((order) => order.left));
    size += more;
    let cost = 0n;
    for (const order of orders) {
      order.take(more);
      cost += order.cost();
    }
    if (cost >= BigInt(size) * 1_000_000n) break;
    steps.push({ size, cost });
    for (const order of orders) order.advance();
  }
  return steps;
}

/** One order that eats into a book, best price first. */
class Order {
  private readonly leg: Leg;
  private level = -1;
  private price = 0;
  /** Taken from the level it stands at, and what is left there, in 0.01 contract. */
  private taken = 0;
  left = 0;
  /** Fills of the levels behind it with their fees, in 1e-8 USD. */
  private behind = 0n;

  constructor(leg: Leg) {
    this.leg = leg;
    this.advance();
  }

  take(size: number): void {
    this.taken += size;
    this.left -= size;
  }

  /** On to the next level that holds a hundredth of a contract, when this one is eaten up. */
  advance(): void {
    if (this.left > 0) return;
    if (this.taken > 0) this.behind += this.fill();
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

  /** Of all that was taken, in 1e-8 USD. */
  cost(): bigint {
    const whole = this.behind + this.fill();
    if (!this.leg.schedule?.orderInCents) return whole;
    // The venue gives back whole cents of what its fills were rounded by, so that one cent an order is the most that is lost.
    const over = whole % CENT;
    return over === 0n ? whole : whole + CENT - over;
  }

  private fill(): bigint {
    const fee = this.leg.schedule ? feeOfFill(this.leg.schedule, this.price, this.taken) : 0;
    const amount = this.price * this.taken;
    const paid = amount <= Number.MAX_SAFE_INTEGER ? BigInt(amount) : BigInt(this.price) * BigInt(this.taken);
    return paid + BigInt(fee) * PER_MICRO;
  }
}
