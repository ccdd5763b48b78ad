import { topOf } from '../books/book.ts';
import type { BookEntry, BookStore, InvalidReason } from '../books/book_store.ts';
import { isSameOpportunity, type Opportunity, type Rejection } from './opportunity.ts';
import { invertedOutcome } from './polarity.ts';
import type { WatchedPair } from './watch_list.ts';

/**
 * What pipeline.apply_books takes for one pair at one moment: prices in 1e-6 USD, sizes in 0.01 contract (`size_a` and `size_b` at the ask,
 * `bid_size_a` and `bid_size_b` at the bid), times in epoch ms.
 * One element an outcome in outcome order; null where a side is empty or its book is not believed.
 */
export type PriceUpdate = {
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
  opp: Opportunity | Rejection | null;
};

export type BookStores = { a: BookStore; b: BookStore };

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
export function buildPriceUpdate(pair: WatchedPair, stores: BookStores, at: number): PriceUpdate | null {
  const update: PriceUpdate = {
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
  let validBooks = 0;
  let reason: InvalidReason | null = null;
  const validEntry = (store: BookStore, contract: string): BookEntry | null | undefined => {
    const entry = store.get(contract);
    if (!entry?.hasData) return undefined;
    if (entry.invalidReason === null) {
      validBooks += 1;
      return entry;
    }
    reason ??= entry.invalidReason;
    return null;
  };

  for (const outcome of pair.outcomes) {
    const a = outcome.contract_a === null ? null : validEntry(stores.a, outcome.contract_a);
    const b = outcome.contract_b === null ? null : validEntry(stores.b, outcome.contract_b);
    if (a === undefined || b === undefined) return null;
    const topA = topOf(a?.book, outcome.side_a);
    const topB = topOf(b?.book, null);
    update.ask_a.push(topA.ask);
    update.bid_a.push(topA.bid);
    update.size_a.push(topA.size);
    update.bid_size_a.push(topA.bidSize);
    update.ask_b.push(topB.ask);
    update.bid_b.push(topB.bid);
    update.size_b.push(topB.size);
    update.bid_size_b.push(topB.bidSize);
    if (a) update.read_a = laterOf(update.read_a, a.readAt);
    if (b) update.read_b = laterOf(update.read_b, b.readAt);
  }
  if (pair.ladder) {
    update.ladder_a = [];
    for (const contract of pair.ladder) {
      const entry = validEntry(stores.a, contract);
      if (entry === undefined) return null;
      update.ladder_a.push(topOf(entry?.book, 'yes').ask);
      if (entry) update.read_a = laterOf(update.read_a, entry.readAt);
    }
  }
  if (validBooks === 0) update.void = reason ?? 'book.missing';
  else if (invertedOutcome(update) >= 0) voidPrices(update, 'price.inverted');
  return update;
}

/**
 * Makes the times of a frame agree: no book in it is read after `at`. A doubt is dated back to the
 * last sign of life, and the pair's other books may have been read after that. Such a reading changed
 * no price, or it would have made a frame, so the frame names the reading of the frame before it.
 * Without one before it, the frame is as late as its latest book.
 */
export function alignTimes(update: PriceUpdate, previous: PriceUpdate | undefined): void {
  if (!previous) {
    update.at = Math.max(update.at, update.read_a ?? update.at, update.read_b ?? update.at);
    return;
  }
  if (update.read_a !== null && update.read_a > update.at) update.read_a = previous.read_a;
  if (update.read_b !== null && update.read_b > update.at) update.read_b = previous.read_b;
}

/** Whether a reader of the pair would see a difference. Times alone are none. */
export function isSamePriceUpdate(a: PriceUpdate, b: PriceUpdate): boolean {
  return (
    a.void === b.void &&
    isSameOpportunity(a.opp, b.opp) &&
    isSameRow(a.ask_a, b.ask_a) &&
    isSameRow(a.ask_b, b.ask_b) &&
    isSameRow(a.bid_a, b.bid_a) &&
    isSameRow(a.bid_b, b.bid_b) &&
    isSameRow(a.size_a, b.size_a) &&
    isSameRow(a.size_b, b.size_b) &&
    isSameRow(a.bid_size_a, b.bid_size_a) &&
    isSameRow(a.bid_size_b, b.bid_size_b) &&
    (a.ladder_a === b.ladder_a || (a.ladder_a !== null && b.ladder_a !== null && isSameRow(a.ladder_a, b.ladder_a)))
  );
}

/** A void frame offers nothing, so that a reader who overlooks `void` shows nothing either. */
function voidPrices(update: PriceUpdate, reason: string): void {
  update.void = reason;
  const sizes = [update.size_a, update.size_b, update.bid_size_a, update.bid_size_b];
  for (const row of [update.ask_a, update.ask_b, update.bid_a, update.bid_b, ...sizes]) row.fill(null);
  update.ladder_a?.fill(null);
}

function laterOf(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function isSameRow(a: readonly (number | null)[], b: readonly (number | null)[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
