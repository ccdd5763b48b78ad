import type { Book } from '../books/book.ts';
import type { BookGuard } from '../books/book_guard.ts';
import type { BookStore } from '../books/book_store.ts';
import { comparePriceScale, invertPriceScale } from './price_scale.ts';

export type PriceScaleOutput = {
  /**
   * Fetches these books from REST and passes them to `onBooks`. Without this method there is no
   * check: the books count as YES prices, as requested.
   */
  requestScaleBooks?(tickers: readonly string[]): void;
  onScaleFound?(verdict: 'as_read' | 'other', books: number): void;
};

/** Books per comparison: one request. */
const MAX_BOOKS = 100;
/**
 * Wait (real ms) for the rest of the first snapshots, and before the next try after a comparison
 * that decided nothing.
 */
const FIRST_CHECK_MS = 1_000;
const RETRY_MS = 2_000;

/**
 * Confirms the price scale of one subscription. It fails closed: books stay unpublished until the
 * comparison with REST confirms the scale. The request is sent as soon as the first hundred
 * snapshots have arrived, so a start waits for one REST response (about 10 ms on loopback, about
 * 200 ms from the venue) and not for a timer.
 *
 * The suspension is provisional until the scale proves wrong, because a worker that starts must not
 * void the prices of its predecessor.
 */
export class PriceScaleCheck {
  readonly #store: BookStore;
  readonly #guard: BookGuard;
  readonly #output: PriceScaleOutput;
  readonly #requestedYesPrices: boolean;
  /** Whether NO bids are read as YES prices. */
  isInYesPrices: boolean;
  /** Real time of the next request. Null while a response is awaited or no check is due. */
  #dueAt: number | null = null;
  #tries = 0;

  constructor(store: BookStore, guard: BookGuard, output: PriceScaleOutput, isInYesPrices: boolean) {
    this.#store = store;
    this.#guard = guard;
    this.#output = output;
    this.#requestedYesPrices = isInYesPrices;
    this.isInYesPrices = isInYesPrices;
  }

  onOpen(at: number, now: number): void {
    this.isInYesPrices = this.#requestedYesPrices;
    if (!this.#output.requestScaleBooks) return;
    this.#guard.suspend('book.scale', at, true);
    this.#tries = 0;
    this.#dueAt = now + FIRST_CHECK_MS;
  }

  onClose(): void {
    this.#dueAt = null;
  }

  /** Requests the comparison at once when all first snapshots have arrived. */
  onSnapshot(tickers: ReadonlySet<string>, now: number): void {
    if (this.#dueAt === null) return;
    let ready = 0;
    for (const ticker of tickers) if (this.#guard.isValidButSuspended(ticker)) ready += 1;
    if (ready >= Math.min(MAX_BOOKS, tickers.size)) this.#request(tickers, now);
  }

  onTimer(tickers: ReadonlySet<string>, now: number): void {
    if (this.#dueAt !== null && now >= this.#dueAt) this.#request(tickers, now);
  }

  /**
   * Compares with books from REST, whose NO bids are NO prices. `books` is null when the request
   * failed. Returns whether the scale is known now; the caller then resumes the books.
   */
  onBooks(tickers: ReadonlySet<string>, books: ReadonlyMap<string, Book> | null, at: number, now: number): boolean {
    if (!this.#guard.isSuspended('book.scale') || this.#dueAt !== null) return false;
    const pairs = [...(books ?? [])].flatMap(([ticker, restBook]) => {
      const ownBook = this.#guard.isValidButSuspended(ticker) ? this.#store.get(ticker)?.book : null;
      return ownBook ? [{ ownBook, restBook }] : [];
    });
    const verdict = comparePriceScale(pairs);
    if (verdict === 'other') this.#invert(tickers);
    if (verdict === 'as_read' || verdict === 'other') {
      this.#output.onScaleFound?.(verdict, pairs.length);
      return true;
    }
    // Books that contradict each other are invalidated at once. Books that decide nothing get one
    // more try.
    this.#tries += 1;
    if (verdict === 'mixed' || this.#tries > 1) this.#guard.suspend('book.scale', at);
    this.#dueAt = now + RETRY_MS;
    return false;
  }

  #request(tickers: ReadonlySet<string>, now: number): void {
    const candidates = [...tickers].filter((ticker) => this.#guard.isValidButSuspended(ticker));
    if (candidates.length === 0) {
      this.#dueAt = now + FIRST_CHECK_MS;
      return;
    }
    // Only books with a NO side can decide the scale.
    const empty = (ticker: string): number => (this.#store.get(ticker)?.book?.ask ? 0 : 1);
    candidates.sort((x, y) => empty(x) - empty(y));
    this.#dueAt = null;
    this.#output.requestScaleBooks?.(candidates.slice(0, MAX_BOOKS));
  }

  #invert(tickers: ReadonlySet<string>): void {
    this.isInYesPrices = !this.isInYesPrices;
    for (const ticker of tickers) {
      const entry = this.#store.get(ticker);
      if (this.#guard.isValidButSuspended(ticker) && entry?.book) entry.book = invertPriceScale(entry.book);
    }
  }
}
