import type { z } from 'zod';
import type { Book } from '../books/book.ts';
import { BookGuard } from '../books/book_guard.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { LagGuard, type LagGuardOutput } from '../books/lag_guard.ts';
import { DecimalParseError } from '../decimal.ts';
import { isObject, parseRecord, rejectedRow, typeOf } from '../feeds/parse.ts';
import type { RejectedRow } from '../listing.ts';
import { applyChange, bookOf, booksMatch } from './books.ts';
import { bookMessage, type PriceChange, priceChangeMessage, restBook, tickChangeMessage } from './schemas.ts';

export type StreamOutput = LagGuardOutput & {
  send(command: unknown): void;
  reject(row: RejectedRow): void;
};

/** A token that waits for its book from REST, with what the socket said meanwhile. */
type PendingRead = { dueAt: number; changes: { stamp: number; change: PriceChange }[] };

/** A token whose first book does not come with the subscription is read over REST after this long. */
const FIRST_BOOK_MS = 3_000;
/** The same token is not read over REST more often than this. */
const MIN_REST_INTERVAL_MS = 1_000;
/** More than this many changes while a book is on its way are not worth keeping: the book will be read again. */
const MAX_PENDING_CHANGES = 2_000;
/** REST's stamps lie this far before what the socket's offset allows: the two clocks are not one, and say nothing of each other's order. */
const MAX_CLOCK_SKEW_MS = 1_000;

const IGNORED_TYPES = new Set(['last_trade_price', 'best_bid_ask', 'new_market', 'market_resolved']);

/**
 * The market channel of venue_b on one socket, without the socket. Nothing is numbered here: a lost message shows only where a change names
 * best prices that are not ours, and then the token's book is in doubt and read again over REST (`due`, `restored`).
 */
export class VenueBStream {
  readonly #shelf: BookStore;
  readonly #out: StreamOutput;
  readonly contracts = new Set<string>();
  readonly #pendingReads = new Map<string, PendingRead>();
  /** Venue time of the book that we hold, where REST gave it: older changes are in it already. */
  readonly #restStamps = new Map<string, number>();
  readonly #hashes = new Map<string, string>();
  /** Venue time of the last change of each token: an older one after it came out of order. */
  readonly #lastStamps = new Map<string, number>();
  readonly #lagGuard: LagGuard;
  readonly guard: BookGuard;
  readonly #changedAt = new Map<string, number>();
  #isConnected = false;
  #now = 0;
  #at = 0;
  lastMessageAt: number | null = null;
  mismatches = 0;

  constructor(store: BookStore, output: StreamOutput) {
    this.#shelf = store;
    this.#out = output;
    this.guard = new BookGuard(store, () => this.contracts);
    this.#lagGuard = new LagGuard(this.guard, output, (at) => this.resume('feed.late', at));
  }

  onOpen(now: number): void {
    this.#now = now;
    this.#isConnected = true;
    this.#pendingReads.clear();
    this.#restStamps.clear();
    this.#lastStamps.clear();
    this.#lagGuard.onOpen(this.#at);
    if (this.contracts.size === 0) return;
    this.#out.send({ assets_ids: [...this.contracts], type: 'market', custom_feature_enabled: false });
    for (const token of this.contracts) this.#scheduleRead(token, now + FIRST_BOOK_MS);
  }

  onClose(reason: InvalidReason, at: number): void {
    this.#isConnected = false;
    this.#shelf.batch(() => {
      for (const token of this.contracts) this.guard.invalidate(token, reason, at);
    });
  }

  subscribe(tokens: readonly string[], now: number): void {
    this.#now = now;
    const added = tokens.filter((token) => !this.contracts.has(token));
    for (const token of added) {
      this.contracts.add(token);
      if (this.#isConnected) this.#scheduleRead(token, now + FIRST_BOOK_MS);
    }
    if (this.#isConnected && added.length > 0) this.#out.send({ assets_ids: added, operation: 'subscribe' });
  }

  unsubscribe(tokens: readonly string[], now: number): void {
    this.#now = now;
    const removed = tokens.filter((token) => this.contracts.delete(token));
    for (const token of removed) this.#untrack(token);
    if (this.#isConnected && removed.length > 0) this.#out.send({ assets_ids: removed, operation: 'unsubscribe' });
  }

  /** A subscription that has gone quiet by itself is asked for anew; that rescues about half of them (venues.md D). */
  resubscribe(tokens: readonly string[]): void {
    if (!this.#isConnected) return;
    this.#out.send({ assets_ids: tokens, operation: 'unsubscribe' });
    this.#out.send({ assets_ids: tokens, operation: 'subscribe' });
  }

  /** Tokens whose book must be read over REST now. */
  due(now: number): string[] {
    this.#now = now;
    if (this.#isConnected) this.#lagGuard.onTimer(now);
    const tokens: string[] = [];
    for (const [token, pending] of this.#pendingReads) {
      if (pending.dueAt > now) continue;
      pending.dueAt = now + MIN_REST_INTERVAL_MS * 5;
      tokens.push(token);
    }
    return this.#isConnected ? tokens : [];
  }

  /** When something new was last said of this token, real ms. */
  lastChangeAt(token: string): number {
    return this.#changedAt.get(token) ?? 0;
  }

  /** What the venue called the book of this token last. */
  hashOf(token: string): string | undefined {
    return this.#hashes.get(token);
  }

  /** A book that REST gave. Changes that came while it was on its way and are newer than it follow it. */
  onRestBook(raw: unknown, at: number): string | null {
    const reading = parseRecord(restBook, raw, 'book');
    const token = isObject(raw) && typeof raw.asset_id === 'string' ? raw.asset_id : null;
    if (!reading.ok) {
      this.#out.reject(rejectedRow('book', token, reading.code, reading.detail, raw));
      return token;
    }
    const { asset_id, bids, asks, timestamp, hash } = reading.value;
    const pending = this.#pendingReads.get(asset_id);
    if (!this.contracts.has(asset_id) || !pending) return asset_id;
    try {
      const book = bookOf(bids, asks);
      const stamp = Number(timestamp ?? 0);
      const hasSkew = this.#hasClockSkew(stamp, at);
      let venueTime = timestamp === undefined ? null : stamp;
      for (const later of pending.changes) {
        if (!hasSkew && later.stamp < stamp) continue;
        applyChange(book, later.change);
        venueTime = later.stamp;
      }
      if (hasSkew) this.#restStamps.delete(asset_id);
      else this.#restStamps.set(asset_id, stamp);
      this.#replaceBook(asset_id, book, hash, at, venueTime);
    } catch (error) {
      this.#onUnreadable(asset_id, error, raw, at);
    }
    return asset_id;
  }

  receive(text: string, at: number, now: number): void {
    this.#now = now;
    this.#at = at;
    if (text === 'PONG') return;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      this.#out.reject(
        rejectedRow('message', null, 'message.not_json', 'A frame of venue_b is no JSON.', text.slice(0, 500)),
      );
      // Plain words are no book; a broken object may have been a change of any of them.
      if (/^\s*[[{]/.test(text)) for (const token of this.contracts) this.invalidate(token, 'book.unreadable', at);
      return;
    }
    this.#shelf.batch(() => {
      for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#onMessage(message, at);
    });
  }

  #onMessage(message: unknown, at: number): void {
    const type = isObject(message) ? message.event_type : undefined;
    if (type === 'price_change') this.#onPriceChange(message, at);
    else if (type === 'book') this.#onBook(message, at);
    else if (type === 'tick_size_change') {
      const change = this.#parseMessage(tickChangeMessage, message, at);
      if (change) this.invalidate(change.asset_id, 'book.tick_change', at);
    } else if (typeof type !== 'string' || !IGNORED_TYPES.has(type)) {
      const detail = 'A frame of venue_b has a type that we do not know.';
      this.#out.reject(rejectedRow('message', typeOf(type), 'message.unknown_type', detail, message));
    }
  }

  #onPriceChange(message: unknown, at: number): void {
    if (isObject(message) && message.price_changes === undefined && typeof message.asset_id === 'string') {
      const detail = 'A price_change in the shape before September 2025 is refused.';
      this.#out.reject(rejectedRow('message', 'price_change', 'message.old_shape', detail, message));
      this.invalidate(message.asset_id, 'book.gap', at);
      return;
    }
    const change = this.#parseMessage(priceChangeMessage, message, at);
    if (change) this.#onChanges(change.price_changes, Number(change.timestamp), at);
  }

  #onBook(message: unknown, at: number): void {
    const book = this.#parseMessage(bookMessage, message, at);
    if (!book || !this.contracts.has(book.asset_id)) return;
    try {
      const read = bookOf(book.bids, book.asks);
      // The same book once more is no news: a dead subscription may repeat itself.
      if (!this.#shelf.get(book.asset_id)?.book?.equals(read)) this.#changedAt.set(book.asset_id, this.#now);
      this.#restStamps.delete(book.asset_id);
      this.#replaceBook(book.asset_id, read, book.hash, at, Number(book.timestamp));
    } catch (error) {
      this.#onUnreadable(book.asset_id, error, message, at);
    }
  }

  /** Both complementary tokens are listed in one message; a book is compared after the last change that names it. */
  #onChanges(changes: readonly PriceChange[], stamp: number, at: number): void {
    this.#lagGuard.onStamp(stamp, at, this.#now);
    const changed = new Map<string, PriceChange>();
    const outOfOrder = new Set<string>();
    for (const change of changes) {
      const token = change.asset_id;
      if (!this.contracts.has(token)) continue;
      this.#changedAt.set(token, this.#now);
      if (stamp < (this.#lastStamps.get(token) ?? 0)) outOfOrder.add(token);
      const pending = this.#pendingReads.get(token);
      if (pending) {
        if (pending.changes.length < MAX_PENDING_CHANGES) pending.changes.push({ stamp, change });
        else pending.changes.length = 0;
        continue;
      }
      const entry = this.#shelf.get(token);
      if (!entry?.book || stamp < (this.#restStamps.get(token) ?? 0)) continue;
      try {
        applyChange(entry.book, change);
        changed.set(token, change);
      } catch (error) {
        changed.delete(token);
        this.#onUnreadable(token, error, change, at);
      }
    }
    for (const { asset_id } of changes) if (this.contracts.has(asset_id)) this.#lastStamps.set(asset_id, stamp);
    for (const [token, change] of changed) {
      // Sizes are absolute, so a change that was overtaken by a later one has put an old size back.
      if (outOfOrder.has(token)) this.invalidate(token, 'book.gap', at);
      else this.#check(token, change, at, stamp);
    }
  }

  /** The hold is over: books that turn out to be crossed are read again. */
  resume(reason: InvalidReason, at: number): void {
    for (const token of this.guard.resume(reason, at)) this.#scheduleRead(token, this.#now);
  }

  /** A book cannot be younger by its stamp than the fastest message of the socket is: then REST has another clock. */
  #hasClockSkew(stamp: number, at: number): boolean {
    const usual = this.#lagGuard.usualOffset;
    return usual !== null && at - stamp < usual - MAX_CLOCK_SKEW_MS;
  }

  #check(token: string, change: PriceChange, at: number, stamp: number): void {
    const book = this.#shelf.get(token)?.book;
    if (!book) return;
    this.lastMessageAt = at;
    if (change.hash) this.#hashes.set(token, change.hash);
    let isMatch: boolean;
    try {
      isMatch = booksMatch(book, change);
    } catch (error) {
      this.#onUnreadable(token, error, change, at);
      return;
    }
    if (!isMatch) {
      this.mismatches += 1;
      this.invalidate(token, 'book.gap', at);
    } else if (!this.guard.markUpdated(token, at, stamp)) {
      this.#scheduleRead(token, this.#now);
    }
  }

  #replaceBook(token: string, book: Book, hash: string | undefined, at: number, venueTime: number | null): void {
    const entry = this.#shelf.get(token);
    // An equal hash names an equal book: if ours differs, something was lost on the way to it.
    if (
      hash &&
      entry?.invalidReason === null &&
      this.#hashes.get(token) === hash &&
      entry.book &&
      !entry.book.equals(book)
    )
      this.mismatches += 1;
    if (hash) this.#hashes.set(token, hash);
    this.lastMessageAt = at;
    this.#pendingReads.delete(token);
    if (!this.guard.replace(token, book, at, venueTime))
      this.#scheduleRead(token, this.#now + MIN_REST_INTERVAL_MS * 2);
  }

  /** Not believed from `at` on; read again over REST at once. */
  invalidate(token: string, reason: InvalidReason, at: number): void {
    if (!this.contracts.has(token)) return;
    this.guard.invalidate(token, reason, at);
    this.#scheduleRead(token, this.#now);
  }

  #scheduleRead(token: string, when: number): void {
    const pending = this.#pendingReads.get(token);
    if (pending) pending.dueAt = Math.min(pending.dueAt, Math.max(when, this.#now));
    else this.#pendingReads.set(token, { dueAt: when, changes: [] });
  }

  #onUnreadable(token: string, error: unknown, raw: unknown, at: number): void {
    const code = error instanceof DecimalParseError ? error.code : 'book.unreadable';
    this.#out.reject(rejectedRow('book', token, code, error instanceof Error ? error.message : String(error), raw));
    this.guard.invalidate(token, 'book.unreadable', at);
    this.#pendingReads.delete(token);
    this.#scheduleRead(token, this.#now + MIN_REST_INTERVAL_MS * 2);
  }

  #untrack(token: string): void {
    for (const map of [this.#pendingReads, this.#restStamps, this.#hashes, this.#changedAt, this.#lastStamps])
      map.delete(token);
    this.guard.untrack(token);
  }

  #parseMessage<T>(schema: z.ZodType<T>, message: unknown, at: number): T | null {
    const result = parseRecord(schema, message, 'message');
    if (result.ok) return result.value;
    const type = isObject(message) ? typeOf(message.event_type) : 'unknown';
    this.#out.reject(rejectedRow('message', type, result.code, result.detail, message));
    // A change that cannot be read is a change that was missed, of whatever tokens it names.
    const named = namedTokens(message);
    for (const token of named.length > 0 ? named : this.contracts) this.invalidate(token, 'book.unreadable', at);
    return null;
  }
}

function namedTokens(message: unknown): string[] {
  if (!isObject(message)) return [];
  const rows: unknown[] = [message, ...(Array.isArray(message.price_changes) ? message.price_changes : [])];
  return rows.flatMap((row) => (isObject(row) && typeof row.asset_id === 'string' ? [row.asset_id] : []));
}
