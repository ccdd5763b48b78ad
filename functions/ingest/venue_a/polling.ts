import { BookGuard } from '../books/book_guard.ts';
import type { BookStore } from '../books/book_store.ts';
import { chunks, type FeedRuntime } from '../feeds/feed.ts';
import { rejectedRow } from '../feeds/parse.ts';
import { MAX_TICKERS, type VenueARest } from './rest.ts';
import { parseRestBook } from './rest_book.ts';

/** A polled book is believed for three rounds, and never for less than this. */
const MIN_FRESH_MS = 30_000;
/** Rounds are not closer than this, however few markets there are. */
const MIN_ROUND_MS = 1_000;

/** Books of venue_a without a key: 100 at a time, round and round, as fast as the rate limit of the client lets through. */
export class VenueAPolling {
  readonly #shelf: BookStore;
  readonly guard: BookGuard;
  readonly #rest: VenueARest;
  readonly #around: FeedRuntime;
  readonly #abort = new AbortController();
  /** Real time of each ticker's last reading. */
  readonly #readAt = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  lastMessageAt: number | null = null;

  constructor(store: BookStore, rest: VenueARest, runtime: FeedRuntime) {
    this.#shelf = store;
    this.guard = new BookGuard(store, () => store.contracts());
    this.#rest = rest;
    this.#around = runtime;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let round = MIN_ROUND_MS;
    while (!this.#abort.signal.aborted) {
      const began = this.#around.now();
      for (const part of chunks([...this.#shelf.contracts()], MAX_TICKERS)) {
        if (this.#abort.signal.aborted) return;
        await this.#fetchPart(part);
        this.#invalidateStale(Math.max(MIN_FRESH_MS, 3 * round));
      }
      round = this.#around.now() - began;
      await this.#around.sleep(Math.max(50, MIN_ROUND_MS - round), this.#abort.signal);
    }
  }

  async #fetchPart(tickers: readonly string[]): Promise<void> {
    let books: unknown[];
    try {
      books = await this.#rest.books(tickers);
    } catch (error) {
      this.#around.log(`venue_a: ${tickers.length} books not read: ${String(error)}`);
      await this.#around.sleep(MIN_ROUND_MS, this.#abort.signal);
      return;
    }
    this.#shelf.batch(() => this.#storeBooks(tickers, books, this.#around.marketNow()));
  }

  #storeBooks(tickers: readonly string[], books: readonly unknown[], at: number): void {
    const now = this.#around.now();
    const missing = new Set(tickers);
    for (const raw of books) {
      const result = parseRestBook(raw);
      if (result.ticker !== null) missing.delete(result.ticker);
      if (!result.ok) {
        this.#around.reject(rejectedRow('book', result.ticker, result.code, result.detail, raw));
        if (result.ticker !== null) this.guard.invalidate(result.ticker, 'book.unreadable', at);
        continue;
      }
      this.#readAt.set(result.ticker, now);
      this.lastMessageAt = at;
      const entry = this.#shelf.get(result.ticker);
      if (entry?.invalidReason === null && entry.book?.equals(result.book)) this.#shelf.confirmRead(result.ticker, at);
      else this.guard.replace(result.ticker, result.book, at);
    }
    for (const ticker of missing) this.guard.invalidate(ticker, 'book.missing', at);
  }

  #invalidateStale(limit: number): void {
    const now = this.#around.now();
    for (const [ticker, readAtMs] of this.#readAt) {
      if (!this.#shelf.has(ticker)) this.#readAt.delete(ticker);
      else if (now - readAtMs > limit && this.#shelf.get(ticker)?.invalidReason === null)
        this.guard.invalidate(ticker, 'book.stale', this.#around.marketNow());
    }
  }
}
