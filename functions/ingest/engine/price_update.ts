import { topOf } from '../books/book.ts';
import type { Doubt, Held, Shelf } from '../books/book_store.ts';
import { type Opportunity, type Refusal, sameOpportunity } from './opportunity.ts';
import { invertedOutcome } from './polarity.ts';
import type { WatchedPair } from './watch_list.ts';

/**
 * What pipeline.apply_books takes for one pair at one moment: prices in 1e-6 USD, sizes in 0.01 contract (`size_a` and `size_b` at the ask,
 * `bid_size_a` and `bid_size_b` at the bid), times in epoch ms.
 * One element an outcome in outcome order; null where a side is empty or its book is not believed.
 */
export type Frame = {
  pair: string;
  at: number;
  ask_a: (number | null)[];
  ask_b: (number | null)[];
  bid_a: (number | null)[];
  bid_b: (number | null)[];
  size_a: (number | null)[];
  size_b: (number | null)[];
  bid_size_a: (number | null)[];
  bid_size_b: (number | null)[];
  ladder_a: (number | null)[] | null;
  read_a: number | null;
  read_b: number | null;
  /** Why nothing of this frame may be shown: a Doubt, or price.inverted (see polarity.ts). The database adds lease.expired. */
  void: string | null;
  /** The opportunity that is open, why what looks like one is none, or null where there is nothing to say. */
  opp: Opportunity | Refusal | null;
};

export type Shelves = { a: Shelf; b: Shelf };

/**
 * The rule of trust, here and nowhere else:
 * 1. A book in doubt (see Doubt) offers nothing: its ask, bid and size are null, as if the side were empty. So a venue whose books are
 *    all in doubt is simply not covered in that pair, and the other venue's prices stay.
 * 2. Only when no book of either venue is believed is the frame void, with the doubt of the first book as its reason.
 * 3. Prices that say that an outcome is on the wrong side (polarity.ts) are withheld as those of a book in doubt: a gap of 97 points that
 *    nobody can trade is worse than none.
 * 4. Until something was said about each book of the pair, there is no frame at all (null): a reader that has just begun must not void
 *    what its predecessor knows.
 */
export function frameOf(pair: WatchedPair, shelves: Shelves, at: number): Frame | null {
  const frame: Frame = {
    pair: pair.pair_id,
    at,
    ask_a: [],
    ask_b: [],
    bid_a: [],
    bid_b: [],
    size_a: [],
    size_b: [],
    bid_size_a: [],
    bid_size_b: [],
    ladder_a: null,
    read_a: null,
    read_b: null,
    void: null,
    opp: null,
  };
  let believed = 0;
  let doubt: Doubt | null = null;
  const look = (shelf: Shelf, contract: string): Held | null | undefined => {
    const held = shelf.get(contract);
    if (!held?.decided) return undefined;
    if (held.doubt === null) {
      believed += 1;
      return held;
    }
    doubt ??= held.doubt;
    return null;
  };

  for (const outcome of pair.outcomes) {
    const a = outcome.contract_a === null ? null : look(shelves.a, outcome.contract_a);
    const b = outcome.contract_b === null ? null : look(shelves.b, outcome.contract_b);
    if (a === undefined || b === undefined) return null;
    const topA = topOf(a?.book, outcome.side_a);
    const topB = topOf(b?.book, null);
    frame.ask_a.push(topA.ask);
    frame.bid_a.push(topA.bid);
    frame.size_a.push(topA.size);
    frame.bid_size_a.push(topA.bidSize);
    frame.ask_b.push(topB.ask);
    frame.bid_b.push(topB.bid);
    frame.size_b.push(topB.size);
    frame.bid_size_b.push(topB.bidSize);
    if (a) frame.read_a = later(frame.read_a, a.readAt);
    if (b) frame.read_b = later(frame.read_b, b.readAt);
  }
  if (pair.ladder) {
    frame.ladder_a = [];
    for (const contract of pair.ladder) {
      const held = look(shelves.a, contract);
      if (held === undefined) return null;
      frame.ladder_a.push(topOf(held?.book, 'yes').ask);
      if (held) frame.read_a = later(frame.read_a, held.readAt);
    }
  }
  if (believed === 0) frame.void = doubt ?? 'book.missing';
  else if (invertedOutcome(frame) >= 0) withhold(frame, 'price.inverted');
  return frame;
}

/**
 * Makes the times of a frame agree: no book in it is read after `at`. A doubt is dated back to the
 * last sign of life, and the pair's other books may have been read after that. Such a reading changed
 * no price, or it would have made a frame, so the frame names the reading of the frame before it.
 * Without one before it, the frame is as late as its latest book.
 */
export function alignTimes(frame: Frame, before: Frame | undefined): void {
  if (!before) {
    frame.at = Math.max(frame.at, frame.read_a ?? frame.at, frame.read_b ?? frame.at);
    return;
  }
  if (frame.read_a !== null && frame.read_a > frame.at) frame.read_a = before.read_a;
  if (frame.read_b !== null && frame.read_b > frame.at) frame.read_b = before.read_b;
}

/** Whether a reader of the pair would see a difference. Times alone are none. */
export function sameFrame(a: Frame, b: Frame): boolean {
  return (
    a.void === b.void &&
    sameOpportunity(a.opp, b.opp) &&
    sameRow(a.ask_a, b.ask_a) &&
    sameRow(a.ask_b, b.ask_b) &&
    sameRow(a.bid_a, b.bid_a) &&
    sameRow(a.bid_b, b.bid_b) &&
    sameRow(a.size_a, b.size_a) &&
    sameRow(a.size_b, b.size_b) &&
    sameRow(a.bid_size_a, b.bid_size_a) &&
    sameRow(a.bid_size_b, b.bid_size_b) &&
    (a.ladder_a === b.ladder_a || (a.ladder_a !== null && b.ladder_a !== null && sameRow(a.ladder_a, b.ladder_a)))
  );
}

/** A void frame offers nothing, so that a reader who overlooks `void` shows nothing either. */
function withhold(frame: Frame, why: string): void {
  frame.void = why;
  const sizes = [frame.size_a, frame.size_b, frame.bid_size_a, frame.bid_size_b];
  for (const row of [frame.ask_a, frame.ask_b, frame.bid_a, frame.bid_b, ...sizes]) row.fill(null);
  frame.ladder_a?.fill(null);
}

function later(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function sameRow(a: readonly (number | null)[], b: readonly (number | null)[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
