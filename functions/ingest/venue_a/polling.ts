import { Trust } from '../books/book_guard.ts';
import type { Shelf } from '../books/book_store.ts';
import { chunks, type FeedSurroundings } from '../feeds/feed.ts';
import { setAside } from '../feeds/parse.ts';
import { MOST_TICKERS, type VenueARest } from './rest.ts';
import { readRestBook } from './rest_book.ts';

/** A polled book is believed for three rounds, and never for less than this. */
const FRESH_MS = 30_000;
/** Rounds are not closer than this, however few markets there are. */
const ROUND_MS = 1_000;

/** Books of venue_a without a key: 100 at a time, round and round, as fast as the rate limit of the client lets through. */
export class VenueAPolling {
  private readonly shelf: Shelf;
  readonly trust: Trust;
  private readonly rest: VenueARest;
  private readonly around: FeedSurroundings;
  private readonly ending = new AbortController();
  /** Real time of each ticker's last reading. */
  private readonly readAt = new Map<string, number>();
  private running: Promise<void> = Promise.resolve();
  lastNewsAt: number | null = null;

  constructor(shelf: Shelf, rest: VenueARest, around: FeedSurroundings) {
    this.shelf = shelf;
    this.trust = new Trust(shelf, () => shelf.contracts());
    this.rest = rest;
    this.around = around;
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    let round = ROUND_MS;
    while (!this.ending.signal.aborted) {
      const began = this.around.now();
      for (const part of chunks([...this.shelf.contracts()], MOST_TICKERS)) {
        if (this.ending.signal.aborted) return;
        await this.readPart(part);
        this.doubtOld(Math.max(FRESH_MS, 3 * round));
      }
      round = this.around.now() - began;
      await this.around.sleep(Math.max(50, ROUND_MS - round), this.ending.signal);
    }
  }

  private async readPart(tickers: readonly string[]): Promise<void> {
    let books: unknown[];
    try {
      books = await this.rest.books(tickers);
    } catch (error) {
      this.around.log(`venue_a: ${tickers.length} books not read: ${String(error)}`);
      await this.around.sleep(ROUND_MS, this.ending.signal);
      return;
    }
    this.shelf.together(() => this.keep(tickers, books, this.around.shown()));
  }

  private keep(tickers: readonly string[], books: readonly unknown[], at: number): void {
    const now = this.around.now();
    const missing = new Set(tickers);
    for (const raw of books) {
      const reading = readRestBook(raw);
      if (reading.ticker !== null) missing.delete(reading.ticker);
      if (!reading.ok) {
        this.around.aside(setAside('book', reading.ticker, reading.code, reading.detail, raw));
        if (reading.ticker !== null) this.trust.doubt(reading.ticker, 'book.unreadable', at);
        continue;
      }
      this.readAt.set(reading.ticker, now);
      this.lastNewsAt = at;
      const held = this.shelf.get(reading.ticker);
      if (held?.doubt === null && held.book?.equals(reading.book)) this.shelf.confirm(reading.ticker, at);
      else this.trust.put(reading.ticker, reading.book, at);
    }
    for (const ticker of missing) this.trust.doubt(ticker, 'book.missing', at);
  }

  private doubtOld(limit: number): void {
    const now = this.around.now();
    for (const [ticker, readAt] of this.readAt) {
      if (!this.shelf.has(ticker)) this.readAt.delete(ticker);
      else if (now - readAt > limit && this.shelf.get(ticker)?.doubt === null)
        this.trust.doubt(ticker, 'book.stale', this.around.shown());
    }
  }
}
