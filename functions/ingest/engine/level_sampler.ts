import { type BookLevels, levelsOf } from '../books/book.ts';
import type { BookEntry, BookStore } from '../books/book_store.ts';
import type { BookStores } from './price_update.ts';
import { STEP_MS } from './price_update_queue.ts';
import type { WatchedOutcome, WatchedPair } from './watch_list.ts';

/** Levels of each side of a book. REST returns at most as many. */
const MAX_LEVELS = 10;
/** Pairs per step. The others follow in the next steps, in the order in which they changed. */
export const MAX_PAIRS = 500;

/** Null: the contract does not exist, or its book is invalid. */
type OutcomeLevels = { a: BookLevels | null; b: BookLevels | null };

/** The input of price.store_levels for one pair: its books in outcome order, times in epoch ms. */
export type LevelSample = {
  pair: string;
  step: number;
  read_a: number | null;
  read_b: number | null;
  books: OutcomeLevels[];
};

/**
 * Samples the levels of changed books once per step of the REST snapshot. Ten levels in each price
 * update would make a flush 9 to 13 % slower (sql/45_price_levels.sql).
 */
export class LevelSampler {
  readonly #changed = new Set<string>();
  #lastTick = Number.NaN;

  markChanged(pair: string): void {
    this.#changed.add(pair);
  }

  /**
   * Returns samples in the first call after the start of a step and nothing in later calls of it.
   * A call that is late by more than a tick returns nothing: its books would be newer than the
   * step. `now` is market time. `isBusy`: the samples of an earlier step are still being written.
   */
  take(pairs: ReadonlyMap<string, WatchedPair>, stores: BookStores, now: number, isBusy: boolean): LevelSample[] {
    const step = Math.floor(now / STEP_MS) * STEP_MS;
    const isFirst = this.#lastTick < step;
    this.#lastTick = now;
    if (!isFirst || isBusy) return [];
    const samples: LevelSample[] = [];
    for (const id of this.#changed) {
      if (samples.length >= MAX_PAIRS) break;
      this.#changed.delete(id);
      const pair = pairs.get(id);
      if (pair) samples.push(sampleOf(pair, stores, step));
    }
    return samples;
  }
}

function sampleOf({ pair_id, outcomes }: WatchedPair, { a, b }: BookStores, step: number): LevelSample {
  const entriesA = outcomes.map(({ contract_a }) => validEntry(a, contract_a));
  const entriesB = outcomes.map(({ contract_b }) => validEntry(b, contract_b));
  const books = outcomes.map(
    ({ side_a }: WatchedOutcome, n): OutcomeLevels => ({
      a: levelsOf(entriesA[n]?.book, side_a, MAX_LEVELS),
      b: levelsOf(entriesB[n]?.book, null, MAX_LEVELS),
    }),
  );
  return { pair: pair_id, step, read_a: latestRead(entriesA), read_b: latestRead(entriesB), books };
}

function validEntry(store: BookStore, contract: string | null): BookEntry | null {
  const entry = contract === null ? undefined : store.get(contract);
  return entry?.hasData && entry.invalidReason === null ? entry : null;
}

function latestRead(entries: readonly (BookEntry | null)[]): number | null {
  return entries.reduce<number | null>((latest, entry) => {
    const at = entry?.readAt ?? null;
    return at === null || (latest !== null && latest > at) ? latest : at;
  }, null);
}
