import { topOf } from '../books/book.ts';
import type { BookEntry, BookStore, InvalidReason } from '../books/book_store.ts';
import { isSameOpportunity, type Opportunity, type Rejection } from './opportunity.ts';
import { invertedOutcome } from './polarity.ts';
import type { WatchedPair } from './watch_list.ts';

/**
 * The input of pipeline.apply_books for one pair at one time. Prices in 1e-6 USD, times in epoch
 * ms, sizes in 0.01 contract (`size_a`, `size_b` at the ask; `bid_size_a`, `bid_size_b` at the
 * bid). Arrays have one element per outcome, in outcome order. An element is null when that side is
 * empty or its book is invalid.
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
  /**
   * Why no price of this update may be used: an invalid reason, or price.inverted (polarity.ts).
   * The database adds lease.expired.
   */
  void: string | null;
  /** The open opportunity, the rejection of an apparent one, or null. */
  opp: Opportunity | Rejection | null;
};

export type BookStores = { a: BookStore; b: BookStore };

/**
 * Builds the price update of a pair. This is the only place that decides which books count:
 *
 * 1. An invalid book counts as empty: its ask, bid and size are null. A venue whose books are all
 * invalid is not covered in that pair; the prices of the other venue stay.
 *
 * 2. The update is void only when no book of either venue is valid. The reason is that of the first
 * book.
 *
 * 3. Inverted prices (polarity.ts) void the update: a spread of 97 points that cannot be traded is
 * worse than no price.
 *
 * 4. While the state of any book of the pair is unknown, there is no update (null): a worker that
 * has just started must not void the prices of its predecessor.
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
 * Ensures that no book of the update is read after `at`. An invalid book is dated back to the last
 * sign of life, and other books of the pair may have been read since then. Such a read changed no
 * price, otherwise it would have made an update. So the update takes the read time of the previous
 * update. Without a previous update, `at` becomes the latest read time.
 */
export function alignTimes(update: PriceUpdate, previous: PriceUpdate | undefined): void {
  if (!previous) {
    update.at = Math.max(update.at, update.read_a ?? update.at, update.read_b ?? update.at);
    return;
  }
  if (update.read_a !== null && update.read_a > update.at) update.read_a = previous.read_a;
  if (update.read_b !== null && update.read_b > update.at) update.read_b = previous.read_b;
}

/** Whether two updates have the same values. Times do not count. */
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

/**
 * A void update has no prices and sizes, so that a client that ignores `void` publishes nothing
 * either.
 */
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
