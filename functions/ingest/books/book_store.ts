import type { VenueCode } from '../listing.ts';
import type { Book } from './book.ts';

/**
 * Why a book may not be believed. Machine-readable: it ends in the `void` column of a frame.
 * - book.missing        never read, or unknown to the venue
 * - book.gap            a sequence number, or a best price, shows that a message was lost
 * - book.crossed        bid at or above ask
 * - book.unreadable     a level that cannot be read
 * - book.tick_change    the price grid changed; the book is being read again
 * - book.stale          read by polling, and too long ago
 * - feed.disconnected   the socket is gone
 * - feed.silent         no sign of life
 * - book.scale          nobody knows yet in whose prices the NO side of venue_a is written
 * - feed.frozen         the socket lives, but its books no longer move with the venue's own
 * - feed.late           what the socket says is seconds older than usual
 * - venue.paused        the venue says that nothing trades
 * - venue.post_only     the venue's engine has restarted: its books look well, but nobody can take from them
 */
export type InvalidReason =
  | 'book.missing'
  | 'book.gap'
  | 'book.crossed'
  | 'book.unreadable'
  | 'book.tick_change'
  | 'book.stale'
  | 'feed.disconnected'
  | 'feed.silent'
  | 'feed.frozen'
  | 'feed.late'
  | 'book.scale'
  | 'venue.paused'
  | 'venue.post_only';

export type BookEntry = {
  /** The last book read; kept while in doubt, for comparison only. */
  book: Book | null;
  /** Null while the book may be believed. */
  invalidReason: InvalidReason | null;
  /** From when it is not believed, market time in epoch ms; null while it is, and until anything was said about it. */
  invalidSince: number | null;
  /** When it was last read off the wire, market time in epoch ms. */
  readAt: number | null;
  /** When the message came that made it what it is, market time in epoch ms: later news of trust do not move it. */
  updatedAt: number | null;
  /** What the venue itself dates that message, epoch ms of its clock; null where the message has no date. */
  venueTime: number | null;
  /** Whether anything was ever said about it: until then a pair waits instead of being void. */
  hasData: boolean;
  /** Real time since when somebody wants it. */
  trackedAt: number;
};

export type OnChange = (contract: string, at: number) => void;

/** All books of one venue that somebody wants, each believed or not. Whoever reads a wire writes here; the engine reads. */
export class BookStore {
  readonly venue: VenueCode;
  readonly #entries = new Map<string, BookEntry>();
  readonly #onChange: OnChange;
  /** Contracts that changed while `together` runs, each with the time of its last change. */
  #pending: Map<string, number> | null = null;

  constructor(venue: VenueCode, onChange: OnChange) {
    this.venue = venue;
    this.#onChange = onChange;
  }

  get(contract: string): BookEntry | undefined {
    return this.#entries.get(contract);
  }

  has(contract: string): boolean {
    return this.#entries.has(contract);
  }

  get size(): number {
    return this.#entries.size;
  }

  contracts(): IterableIterator<string> {
    return this.#entries.keys();
  }

  track(contract: string, now: number): void {
    if (this.#entries.has(contract)) return;
    this.#entries.set(contract, {
      book: null,
      invalidReason: 'book.missing',
      invalidSince: null,
      readAt: null,
      updatedAt: null,
      venueTime: null,
      hasData: false,
      trackedAt: now,
    });
  }

  untrack(contract: string): void {
    this.#entries.delete(contract);
  }

  /**
   * Changes several books as one. The engine reads every book of a pair as soon as one of them
   * changes. It is notified only after all books of one message are changed, dated and checked:
   * otherwise it quotes a changed book under the times of an earlier message.
   */
  batch(change: () => void): void {
    if (this.#pending) {
      change();
      return;
    }
    const batch = new Map<string, number>();
    this.#pending = batch;
    try {
      change();
    } finally {
      this.#pending = null;
      for (const [contract, at] of batch) this.#onChange(contract, at);
    }
  }

  /** A whole book, read at `at`, dated `venueAt` by the venue. A crossed one is kept in doubt. Returns whether it is believed. */
  replace(contract: string, book: Book, at: number, venueTime: number | null = null): boolean {
    const entry = this.#entries.get(contract);
    if (!entry) return false;
    entry.book = book;
    return this.markUpdated(contract, at, venueTime);
  }

  /** The book on the shelf was changed in place at `at`. Returns whether it is believed. */
  markUpdated(contract: string, at: number, venueTime: number | null = null): boolean {
    this.setTimes(contract, at, venueTime);
    return this.revalidate(contract, at);
  }

  /** What came of this contract was not judged yet: `settle` will. */
  setTimes(contract: string, at: number, venueTime: number | null): void {
    const entry = this.#entries.get(contract);
    if (!entry) return;
    entry.readAt = at;
    entry.updatedAt = at;
    entry.venueTime = venueTime;
  }

  /** The book is judged anew at `at`, with nothing new said of it. Returns whether it is believed. */
  revalidate(contract: string, at: number): boolean {
    const entry = this.#entries.get(contract);
    return entry?.book ? this.#validate(contract, entry, at) : false;
  }

  /** Read again and found the same: its time moves, nothing else does. */
  confirmRead(contract: string, at: number): void {
    const entry = this.#entries.get(contract);
    if (entry?.book && entry.invalidReason === null) entry.readAt = at;
  }

  /** From `at` on the book of this contract is not believed. */
  invalidate(contract: string, reason: InvalidReason, at: number): void {
    const entry = this.#entries.get(contract);
    if (!entry || (entry.hasData && entry.invalidReason === reason)) return;
    const wasValid = entry.invalidReason === null;
    entry.invalidReason = reason;
    // One doubt may follow another: the book is not believed since the first of them.
    entry.invalidSince = Math.min(entry.invalidSince ?? at, at);
    // A first doubt about a book that was never read says nothing new to a reader, but ends the waiting.
    const isFirst = !entry.hasData;
    entry.hasData = true;
    if (wasValid || isFirst) this.#notify(contract, at);
  }

  #validate(contract: string, entry: BookEntry, at: number): boolean {
    entry.hasData = true;
    entry.invalidReason = entry.book?.isCrossed ? 'book.crossed' : null;
    entry.invalidSince = entry.invalidReason === null ? null : (entry.invalidSince ?? at);
    this.#notify(contract, at);
    return entry.invalidReason === null;
  }

  #notify(contract: string, at: number): void {
    if (this.#pending) this.#pending.set(contract, at);
    else this.#onChange(contract, at);
  }
}
