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
export type Doubt =
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

export type Held = {
  /** The last book read; kept while in doubt, for comparison only. */
  book: Book | null;
  /** Null while the book may be believed. */
  doubt: Doubt | null;
  /** From when it is not believed, market time in epoch ms; null while it is, and until anything was said about it. */
  doubtSince: number | null;
  /** When it was last read off the wire, market time in epoch ms. */
  readAt: number | null;
  /** When the message came that made it what it is, market time in epoch ms: later news of trust do not move it. */
  saidAt: number | null;
  /** What the venue itself dates that message, epoch ms of its clock; null where the message has no date. */
  venueAt: number | null;
  /** Whether anything was ever said about it: until then a pair waits instead of being void. */
  decided: boolean;
  /** Real time since when somebody wants it. */
  wantedAt: number;
};

export type OnChange = (contract: string, at: number) => void;

/** All books of one venue that somebody wants, each believed or not. Whoever reads a wire writes here; the engine reads. */
export class Shelf {
  readonly venue: VenueCode;
  private readonly held = new Map<string, Held>();
  private readonly changed: OnChange;
  /** Contracts that changed while `together` runs, each with the time of its last change. */
  private batch: Map<string, number> | null = null;

  constructor(venue: VenueCode, changed: OnChange) {
    this.venue = venue;
    this.changed = changed;
  }

  get(contract: string): Held | undefined {
    return this.held.get(contract);
  }

  has(contract: string): boolean {
    return this.held.has(contract);
  }

  get size(): number {
    return this.held.size;
  }

  contracts(): IterableIterator<string> {
    return this.held.keys();
  }

  want(contract: string, now: number): void {
    if (this.held.has(contract)) return;
    this.held.set(contract, {
      book: null,
      doubt: 'book.missing',
      doubtSince: null,
      readAt: null,
      saidAt: null,
      venueAt: null,
      decided: false,
      wantedAt: now,
    });
  }

  drop(contract: string): void {
    this.held.delete(contract);
  }

  /**
   * Changes several books as one. The engine reads every book of a pair as soon as one of them
   * changes. It is notified only after all books of one message are changed, dated and checked:
   * otherwise it quotes a changed book under the times of an earlier message.
   */
  together(change: () => void): void {
    if (this.batch) {
      change();
      return;
    }
    const batch = new Map<string, number>();
    this.batch = batch;
    try {
      change();
    } finally {
      this.batch = null;
      for (const [contract, at] of batch) this.changed(contract, at);
    }
  }

  /** A whole book, read at `at`, dated `venueAt` by the venue. A crossed one is kept in doubt. Returns whether it is believed. */
  put(contract: string, book: Book, at: number, venueAt: number | null = null): boolean {
    const held = this.held.get(contract);
    if (!held) return false;
    held.book = book;
    return this.touch(contract, at, venueAt);
  }

  /** The book on the shelf was changed in place at `at`. Returns whether it is believed. */
  touch(contract: string, at: number, venueAt: number | null = null): boolean {
    this.date(contract, at, venueAt);
    return this.settle(contract, at);
  }

  /** What came of this contract was not judged yet: `settle` will. */
  date(contract: string, at: number, venueAt: number | null): void {
    const held = this.held.get(contract);
    if (!held) return;
    held.readAt = at;
    held.saidAt = at;
    held.venueAt = venueAt;
  }

  /** The book is judged anew at `at`, with nothing new said of it. Returns whether it is believed. */
  settle(contract: string, at: number): boolean {
    const held = this.held.get(contract);
    return held?.book ? this.moved(contract, held, at) : false;
  }

  /** Read again and found the same: its time moves, nothing else does. */
  confirm(contract: string, at: number): void {
    const held = this.held.get(contract);
    if (held?.book && held.doubt === null) held.readAt = at;
  }

  /** From `at` on the book of this contract is not believed. */
  doubt(contract: string, why: Doubt, at: number): void {
    const held = this.held.get(contract);
    if (!held || (held.decided && held.doubt === why)) return;
    const believed = held.doubt === null;
    held.doubt = why;
    // One doubt may follow another: the book is not believed since the first of them.
    held.doubtSince = Math.min(held.doubtSince ?? at, at);
    // A first doubt about a book that was never read says nothing new to a reader, but ends the waiting.
    const first = !held.decided;
    held.decided = true;
    if (believed || first) this.notify(contract, at);
  }

  private moved(contract: string, held: Held, at: number): boolean {
    held.decided = true;
    held.doubt = held.book?.crossed ? 'book.crossed' : null;
    held.doubtSince = held.doubt === null ? null : (held.doubtSince ?? at);
    this.notify(contract, at);
    return held.doubt === null;
  }

  private notify(contract: string, at: number): void {
    if (this.batch) this.batch.set(contract, at);
    else this.changed(contract, at);
  }
}
