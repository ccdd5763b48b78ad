import type { Book } from '../books/book.ts';
import type { BookGuard } from '../books/book_guard.ts';
import type { BookStore } from '../books/book_store.ts';
import { comparePriceScale, invertPriceScale } from './price_scale.ts';

export type PriceScaleOutput = {
  /**
   * Asks REST for these books and hands them to `shown`. Without it the venue is taken at its word that it writes in the prices that were
   * asked for.
   */
  requestScaleBooks?(tickers: readonly string[]): void;
  onScaleFound?(verdict: 'as_read' | 'other', books: number): void;
};

/** Books in one comparison: one request. */
const MAX_BOOKS = 100;
/** How long (real ms) it waits for the rest of the first snapshots, and after an answer that proved nothing. */
const FIRST_CHECK_MS = 1_000;
const RETRY_MS = 2_000;

/**
 * Proof of the scale of one subscription. Fail closed: its books are kept back until REST has shown how they are written. That is one
 * request, sent as soon as the first hundred snapshots are here, so a start waits for one answer of REST (some 10 ms on loopback, some 200
 * from the venue) and not for a timer. Until it proves wrong nothing is said of the books: a reader that begins must not void what its
 * predecessor knows.
 */
export class PriceScaleCheck {
  readonly #shelf: BookStore;
  readonly #trust: BookGuard;
  readonly #out: PriceScaleOutput;
  readonly #requestedYesPrices: boolean;
  /** Whether NO bids are read as YES prices. */
  isInYesPrices: boolean;
  /** Real time from which REST is asked; null while an answer is awaited or nothing is to be asked. */
  #dueAt: number | null = null;
  #tries = 0;

  constructor(store: BookStore, guard: BookGuard, output: PriceScaleOutput, isInYesPrices: boolean) {
    this.#shelf = store;
    this.#trust = guard;
    this.#out = output;
    this.#requestedYesPrices = isInYesPrices;
    this.isInYesPrices = isInYesPrices;
  }

  onOpen(at: number, now: number): void {
    this.isInYesPrices = this.#requestedYesPrices;
    if (!this.#out.requestScaleBooks) return;
    this.#trust.suspend('book.scale', at, true);
    this.#tries = 0;
    this.#dueAt = now + FIRST_CHECK_MS;
  }

  onClose(): void {
    this.#dueAt = null;
  }

  /** A snapshot came: with all of the first ones here, ask at once. */
  onSnapshot(tickers: ReadonlySet<string>, now: number): void {
    if (this.#dueAt === null) return;
    let readable = 0;
    for (const ticker of tickers) if (this.#trust.isValidButSuspended(ticker)) readable += 1;
    if (readable >= Math.min(MAX_BOOKS, tickers.size)) this.#request(tickers, now);
  }

  onTimer(tickers: ReadonlySet<string>, now: number): void {
    if (this.#dueAt !== null && now >= this.#dueAt) this.#request(tickers, now);
  }

  /**
   * Books as REST has them, NO bids in NO prices as ever; null where REST did not answer. Returns whether the scale is known now: the
   * caller then lets the books go.
   */
  onBooks(tickers: ReadonlySet<string>, books: ReadonlyMap<string, Book> | null, at: number, now: number): boolean {
    if (!this.#trust.isSuspended('book.scale') || this.#dueAt !== null) return false;
    const pairs = [...(books ?? [])].flatMap(([ticker, restBook]) => {
      const ownBook = this.#trust.isValidButSuspended(ticker) ? this.#shelf.get(ticker)?.book : null;
      return ownBook ? [{ ownBook, restBook }] : [];
    });
    const verdict = comparePriceScale(pairs);
    if (verdict === 'other') this.#invert(tickers);
    if (verdict === 'as_read' || verdict === 'other') {
      this.#out.onScaleFound?.(verdict, pairs.length);
      return true;
    }
    // Books that contradict each other are a doubt to be shown at once; books that prove nothing wait once for better ones.
    this.#tries += 1;
    if (verdict === 'mixed' || this.#tries > 1) this.#trust.suspend('book.scale', at);
    this.#dueAt = now + RETRY_MS;
    return false;
  }

  #request(tickers: ReadonlySet<string>, now: number): void {
    const read = [...tickers].filter((ticker) => this.#trust.isValidButSuspended(ticker));
    if (read.length === 0) {
      this.#dueAt = now + FIRST_CHECK_MS;
      return;
    }
    // Books with a NO side say something, the others nothing.
    const empty = (ticker: string): number => (this.#shelf.get(ticker)?.book?.ask ? 0 : 1);
    read.sort((x, y) => empty(x) - empty(y));
    this.#dueAt = null;
    this.#out.requestScaleBooks?.(read.slice(0, MAX_BOOKS));
  }

  #invert(tickers: ReadonlySet<string>): void {
    this.isInYesPrices = !this.isInYesPrices;
    for (const ticker of tickers) {
      const entry = this.#shelf.get(ticker);
      if (this.#trust.isValidButSuspended(ticker) && entry?.book) entry.book = invertPriceScale(entry.book);
    }
  }
}
