import { BookGuard } from '../books/book_guard.ts';
import type { BookStore } from '../books/book_store.ts';
import type { FeedRuntime } from '../feeds/feed.ts';
import { rejectedRow } from '../feeds/parse.ts';
import { countBooks } from './known_fields.ts';
import type { VenueARest } from './rest.ts';
import { parseRestBook } from './rest_book.ts';

/** A polled book is valid for three rounds, and at least for this time. */
const MIN_FRESH_MS = 30_000;
const EXPIRY_MS = 1_000;
/** Minimum time between the starts of two rounds. */
const MIN_ROUND_MS = 1_000;

/**
 * Reads the books of venue_a without a socket, round after round, at the rate of the client.
 */
export class VenueAPolling {
  readonly #store: BookStore;
  readonly guard: BookGuard;
  readonly #rest: VenueARest;
  readonly #runtime: FeedRuntime;
  readonly #stopping = new AbortController();
  /** Real time of the last read of each ticker. */
  readonly #readAt = new Map<string, number>();
  /** How long the last round took. */
  #roundMs = MIN_ROUND_MS;
  #running: Promise<void> = Promise.resolve();
  lastMessageAt: number | null = null;

  constructor(store: BookStore, rest: VenueARest, runtime: FeedRuntime) {
    this.#store = store;
    this.guard = new BookGuard(store, () => store.contracts());
    this.#rest = rest;
    this.#runtime = runtime;
  }

  start(): void {
    this.#running = Promise.all([this.#run(), this.#expire()]).then(() => {});
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startedAt = this.#runtime.now();
      const tickers = [...this.#store.contracts()];
      while (tickers.length > 0) {
        if (this.#stopping.signal.aborted) return;
        await this.#fetchPart(tickers.splice(0, this.#rest.maxBooks));
      }
      this.#roundMs = this.#runtime.now() - startedAt;
      await this.#runtime.sleep(Math.max(50, MIN_ROUND_MS - this.#roundMs), this.#stopping.signal);
    }
  }

  /**
   * Books expire on a timer of their own: a request may take 20 s and be tried again, while an
   * answer arrives byte by byte.
   */
  async #expire(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#invalidateStale(Math.max(MIN_FRESH_MS, 3 * this.#roundMs));
      await this.#runtime.sleep(EXPIRY_MS, this.#stopping.signal);
    }
  }

  async #fetchPart(tickers: readonly string[]): Promise<void> {
    let books: unknown[];
    try {
      books = await this.#rest.books(tickers);
      countBooks(this.#runtime.unknown, books);
    } catch (error) {
      this.#runtime.log(`venue_a: ${tickers.length} books could not be fetched: ${String(error)}`);
      await this.#runtime.sleep(MIN_ROUND_MS, this.#stopping.signal);
      return;
    }
    this.#store.batch(() => this.#storeBooks(tickers, books, this.#runtime.marketNow()));
  }

  #storeBooks(tickers: readonly string[], books: readonly unknown[], at: number): void {
    const now = this.#runtime.now();
    const missing = new Set(tickers);
    for (const raw of books) {
      const result = parseRestBook(raw);
      if (result.ticker !== null) missing.delete(result.ticker);
      if (!result.ok) {
        this.#runtime.reject(rejectedRow('book', result.ticker, result.code, result.detail, raw));
        if (result.ticker !== null) this.guard.invalidate(result.ticker, 'book.unreadable', at);
        continue;
      }
      this.#readAt.set(result.ticker, now);
      this.lastMessageAt = at;
      const entry = this.#store.get(result.ticker);
      if (entry?.invalidReason === null && entry.book?.equals(result.book)) this.#store.confirmRead(result.ticker, at);
      else this.guard.replace(result.ticker, result.book, at);
    }
    for (const ticker of missing) this.guard.invalidate(ticker, 'book.missing', at);
  }

  #invalidateStale(limit: number): void {
    const now = this.#runtime.now();
    for (const [ticker, readAtMs] of this.#readAt) {
      if (!this.#store.has(ticker)) this.#readAt.delete(ticker);
      else if (now - readAtMs > limit && this.#store.get(ticker)?.invalidReason === null)
        this.guard.invalidate(ticker, 'book.stale', this.#runtime.marketNow());
    }
  }
}
