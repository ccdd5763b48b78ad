import type { VenueCode } from '../listing.ts';
import type { Book } from './book.ts';

/**
 * Why a book is invalid. The code reaches the database in the void reason of a price update.
 * - book.missing: never read, or unknown to the venue
 * - book.gap: a sequence number or a best price proves that a message was lost
 * - book.crossed: bid at or above ask
 * - book.unreadable: a level or message that cannot be parsed
 * - book.tick_change: the tick size changed; the book is read again
 * - book.stale: polled, and too old
 * - book.scale: it is not yet confirmed whether venue_a quotes NO prices as YES prices
 * - feed.disconnected: the socket is closed
 * - feed.silent: no sign of life
 * - feed.frozen: the socket is open, but its books stopped moving with the books of REST
 * - feed.late: messages are seconds later than usual
 * - venue.paused: the venue reports that trading is paused
 * - venue.post_only: the matching engine restarted and accepts resting orders only
 * - venue.disconnected: all sockets of the venue ended at once; its books are read again
 * - venue.silent: all sockets of the venue are open and send no changes
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
  | 'venue.post_only'
  | 'venue.disconnected'
  | 'venue.silent';

export type BookEntry = {
  /** The last book read. An invalid book is kept, for comparison only. */
  book: Book | null;
  /** Null while the book is valid. */
  invalidReason: InvalidReason | null;
  /**
   * Start of the invalid period, market time in epoch ms. Null while the book is valid, and until
   * the first message about it.
   */
  invalidSince: number | null;
  /** When the book was last read, market time in epoch ms. A confirming read counts. */
  readAt: number | null;
  /**
   * Receipt of the message that made the book what it is, market time in epoch ms. A later change
   * of validity does not move it.
   */
  updatedAt: number | null;
  /**
   * The venue's timestamp of that message, epoch ms of the venue's clock. Null when the message has
   * none.
   */
  venueTime: number | null;
  /**
   * Whether the state of this book is known, valid or not. Until then its pair waits instead of
   * being void.
   */
  hasData: boolean;
  /** Real time since when the contract is tracked, epoch ms. */
  trackedAt: number;
};

export type OnChange = (contract: string, at: number) => void;

/** All tracked books of one venue. The feeds write, the engine reads. */
export class BookStore {
  readonly venue: VenueCode;
  readonly #entries = new Map<string, BookEntry>();
  readonly #onChange: OnChange;
  /** Contracts that changed inside `batch`, with the time of the last change. */
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
   * Changes several books as one. The engine reads every book of a pair when one of them changes,
   * so it is notified only after all books of a message are changed, dated and validated. Otherwise
   * it would quote a changed book under the times of an earlier message.
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

  /**
   * Replaces a book. `at` is the market time of receipt, `venueTime` the venue's timestamp. A
   * crossed book is stored and marked invalid. Returns whether the book is valid.
   */
  replace(contract: string, book: Book, at: number, venueTime: number | null = null): boolean {
    const entry = this.#entries.get(contract);
    if (!entry) return false;
    entry.book = book;
    return this.markUpdated(contract, at, venueTime);
  }

  /** Marks a book that was changed in place at `at`. Returns whether it is valid. */
  markUpdated(contract: string, at: number, venueTime: number | null = null): boolean {
    this.setTimes(contract, at, venueTime);
    return this.revalidate(contract, at);
  }

  /** Sets the times of a message. Does not validate the book; `revalidate` does. */
  setTimes(contract: string, at: number, venueTime: number | null): void {
    const entry = this.#entries.get(contract);
    if (!entry) return;
    entry.readAt = at;
    entry.updatedAt = at;
    entry.venueTime = venueTime;
  }

  /** Validates the book again at `at`, without new data. Returns whether it is valid. */
  revalidate(contract: string, at: number): boolean {
    const entry = this.#entries.get(contract);
    return entry?.book ? this.#validate(contract, entry, at) : false;
  }

  /** Moves the read time of a book that was read again and found unchanged. */
  confirmRead(contract: string, at: number): void {
    const entry = this.#entries.get(contract);
    if (entry?.book && entry.invalidReason === null) entry.readAt = at;
  }

  /** Marks the book invalid from `at` on. */
  invalidate(contract: string, reason: InvalidReason, at: number): void {
    const entry = this.#entries.get(contract);
    if (!entry || (entry.hasData && entry.invalidReason === reason)) return;
    const wasValid = entry.invalidReason === null;
    entry.invalidReason = reason;
    // One reason may follow another. The invalid period starts with the first.
    entry.invalidSince = Math.min(entry.invalidSince ?? at, at);
    // The first reason for a book that was never read changes no price, but it ends the wait for
    // that book.
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
