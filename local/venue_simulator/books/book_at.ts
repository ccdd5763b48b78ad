import { scramble, unit } from '../core/random.ts';
import type { Ladder, Level } from './ladder.ts';

/**
 * The book of a contract at one time, as a pure function: the same contract, turn and price always
 * give the same levels, so a restarted simulator continues with the same books.
 */
export type BookPlan = {
  key: number;
  /** Fair price of YES, 0 to 1. */
  mid: number;
  /** Distance of the best prices from the middle, in ticks. */
  halfSpread: number;
  /** In $0.0001. */
  tick: number;
  /** Number of the contract's updates. As it grows, sizes are redrawn a few levels at a time. */
  updateNumber: number;
  depth: number;
  /** Typical size at the best price, in contracts. */
  typicalSize: number;
};

export function bookAt(plan: BookPlan): Ladder {
  const ticks = Math.round(10_000 / plan.tick);
  const middle = plan.mid * ticks;
  const bestBid = Math.floor(middle - plan.halfSpread);
  const bestAsk = Math.max(Math.ceil(middle + plan.halfSpread), bestBid + 1);
  return {
    bids: levels(plan, bestBid, -1, ticks),
    asks: levels(plan, bestAsk, 1, ticks),
  };
}

function levels(plan: BookPlan, best: number, step: 1 | -1, ticks: number): Level[] {
  const out: Level[] = [];
  // A side that would start outside of the price range is empty. It must not continue on the other
  // side of the book.
  for (
    let distance = 0, place = best;
    out.length < plan.depth && distance < plan.depth * 2;
    distance++, place += step
  ) {
    if (place < 1 || place > ticks - 1) break;
    const spot = scramble(plan.key ^ Math.imul(place * 2 + (step === 1 ? 1 : 0), 0x27d4eb2f));
    // Gaps behind the best price, as in real books, at fixed places so that they do not flicker.
    if (distance > 0 && spot % 4 === 0) continue;
    out.push([place * plan.tick, sizeOf(plan, spot, distance)]);
  }
  return out;
}

function sizeOf(plan: BookPlan, spot: number, distance: number): number {
  const stay = distance === 0 ? 4 : 14;
  const era = Math.floor((plan.updateNumber + (spot % stay)) / stay);
  const draw = unit(spot, era);
  const contracts = plan.typicalSize * (0.15 + 2.2 * draw * draw) * (1 + distance * 0.35);
  // Most orders are whole contracts. Fractional sizes detect readers that round.
  const whole = spot % 5 !== 0;
  return Math.max(whole ? 100 : 1, whole ? Math.round(contracts) * 100 : Math.round(contracts * 100));
}
