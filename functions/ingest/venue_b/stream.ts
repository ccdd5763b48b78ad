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
import { UnconfirmedBooks } from './unconfirmed_books.ts';

export type StreamOutput = LagGuardOutput & {
  send(command: unknown): void;
  reject(row: RejectedRow): void;
  /** Every message that could be parsed as JSON, before it is handled. */
  inspect?(message: unknown): void;
  /** A message with changes of books arrived. */
  onChange?(now: number, at: number): void;
};

/** A token that waits for its book from REST, and the changes that arrived meanwhile. */
type PendingRead = { dueAt: number; changes: { stamp: number; change: PriceChange }[] };

/** A token without a first book is read over REST after this time. */
const FIRST_BOOK_MS = 3_000;
/** Minimum time between two REST reads of one token. */
const MIN_REST_INTERVAL_MS = 1_000;
/** A REST read without an answer is repeated after this time. */
const REPEAT_READ_MS = 5 * MIN_REST_INTERVAL_MS;
/** More changes than this are not kept while a book is awaited. The book is read again. */
const MAX_PENDING_CHANGES = 2_000;
/**
 * A REST timestamp may be this much newer than the usual offset of the socket allows. Beyond that
 * REST uses another clock, and the two timestamps have no common order.
 */
const MAX_CLOCK_SKEW_MS = 1_000;

const IGNORED_TYPES = new Set(['last_trade_price', 'best_bid_ask', 'new_market', 'market_resolved']);

/**
 * The market channel of venue_b on one socket, without the socket. Messages have no sequence
 * numbers. A lost message shows only when a change names other best prices than ours. The token's
 * book is then invalid and is read over REST (`due`, `onRestBook`).
 */
export class VenueBStream {
  readonly #store: BookStore;
  readonly #output: StreamOutput;
  readonly contracts = new Set<string>();
  readonly #pendingReads = new Map<string, PendingRead>();
  /** Venue time of a book that came from REST. It already contains older changes. */
  readonly #restStamps = new Map<string, number>();
  /**
   * The venue's last hash of each book. The same hash with another content proves that a message
   * was lost. Different hashes prove nothing: the documents call the hash of a change that of the
   * order behind it, and the hash of a book also depends on the last trade (venues.md G8).
   */
  readonly #hashes = new Map<string, string>();
  /** Venue time of the last change of each token. An older change after it is out of order. */
  readonly #lastStamps = new Map<string, number>();
  readonly #lagGuard: LagGuard;
  readonly guard: BookGuard;
  readonly unconfirmed: UnconfirmedBooks;
  readonly #changedAt = new Map<string, number>();
  #isConnected = false;
  #now = 0;
  #at = 0;
  lastMessageAt: number | null = null;
  mismatches = 0;

  constructor(store: BookStore, output: StreamOutput) {
    this.#store = store;
    this.#output = output;
    this.guard = new BookGuard(store, () => this.contracts);
    this.unconfirmed = new UnconfirmedBooks(this.guard, this.contracts);
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
    this.#output.send({ assets_ids: [...this.contracts], type: 'market', custom_feature_enabled: false });
    for (const token of this.contracts) this.#scheduleRead(token, now + FIRST_BOOK_MS);
  }

  onClose(reason: InvalidReason, at: number): void {
    this.#isConnected = false;
    this.#store.batch(() => {
      for (const token of this.contracts) this.guard.invalidate(token, reason, at);
    });
  }

  subscribe(tokens: readonly string[], now: number): void {
    this.#now = now;
    const added = tokens.filter((token) => !this.contracts.has(token));
    for (const token of added) {
      this.contracts.add(token);
      this.unconfirmed.add(token);
      if (this.#isConnected) this.#scheduleRead(token, now + FIRST_BOOK_MS);
    }
    if (this.#isConnected && added.length > 0) this.#output.send({ assets_ids: added, operation: 'subscribe' });
  }

  unsubscribe(tokens: readonly string[], now: number): void {
    this.#now = now;
    const removed = tokens.filter((token) => this.contracts.delete(token));
    for (const token of removed) this.#untrack(token);
    if (this.#isConnected && removed.length > 0) this.#output.send({ assets_ids: removed, operation: 'unsubscribe' });
  }

  /**
   * Subscribes again to subscriptions that stopped sending. That revives about half of them
   * (venues.md D).
   */
  resubscribe(tokens: readonly string[]): void {
    if (!this.#isConnected) return;
    this.#output.send({ assets_ids: tokens, operation: 'unsubscribe' });
    this.#output.send({ assets_ids: tokens, operation: 'subscribe' });
  }

  /** Tokens whose book must be read over REST now. */
  due(now: number): string[] {
    this.#now = now;
    if (this.#isConnected) this.#lagGuard.onTimer(now);
    const tokens: string[] = [];
    for (const [token, pending] of this.#pendingReads) {
      if (pending.dueAt > now) continue;
      pending.dueAt = now + REPEAT_READ_MS;
      tokens.push(token);
    }
    if (!this.#isConnected) return [];
    return [...new Set([...tokens, ...this.unconfirmed.due(now)])];
  }

  /** Makes the books valid again that REST has confirmed. */
  releaseConfirmed(at: number): void {
    for (const token of this.unconfirmed.release(at)) this.#scheduleRead(token, this.#now);
  }

  /** The CLOB lists a new market some minutes late. `due` returns its token again. */
  onMissingBook(token: string, at: number): void {
    if (this.unconfirmed.onAnswer(token)) this.#scheduleRead(token, this.#now + REPEAT_READ_MS);
    this.guard.invalidate(token, 'book.missing', at);
  }

  /** Real time of the last change of this token, epoch ms; 0 for never. */
  lastChangeAt(token: string): number {
    return this.#changedAt.get(token) ?? 0;
  }

  /** The venue's last hash of this token's book. */
  hashOf(token: string): string | undefined {
    return this.#hashes.get(token);
  }

  /**
   * Takes a book from REST and applies the newer changes that arrived meanwhile. Returns the token.
   */
  onRestBook(raw: unknown, at: number): string | null {
    const result = parseRecord(restBook, raw, 'book');
    const token = isObject(raw) && typeof raw.asset_id === 'string' ? raw.asset_id : null;
    if (!result.ok) {
      this.#output.reject(rejectedRow('book', token, result.code, result.detail, raw));
      return token;
    }
    const { asset_id, bids, asks, timestamp, hash } = result.value;
    const pending = this.#pendingReads.get(asset_id);
    const isConfirmed = this.unconfirmed.onAnswer(asset_id);
    if (!this.contracts.has(asset_id) || !(pending || isConfirmed)) return asset_id;
    try {
      const book = bookOf(bids, asks);
      const stamp = Number(timestamp ?? 0);
      const hasSkew = this.#hasClockSkew(stamp, at);
      // The socket may have sent this book, or a later one, before the answer of REST.
      if (!pending && this.#isAsNew(asset_id, book, hasSkew ? null : stamp)) return asset_id;
      let venueTime = timestamp === undefined ? null : stamp;
      for (const later of pending?.changes ?? []) {
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

  /** Whether our book equals one of REST, or is not older. `stamp` is null for another clock. */
  #isAsNew(token: string, book: Book, stamp: number | null): boolean {
    const own = this.#store.get(token);
    if (!own?.book || !this.guard.isValidButSuspended(token)) return false;
    return own.book.equals(book) || (stamp !== null && own.venueTime !== null && own.venueTime >= stamp);
  }

  receive(text: string, at: number, now: number): void {
    this.#now = now;
    this.#at = at;
    if (text === 'PONG') return;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      this.#output.reject(
        rejectedRow('message', null, 'message.not_json', 'A message of venue_b is not JSON.', text.slice(0, 500)),
      );
      // Plain text is not a book. A broken object may have been a change of any token.
      if (/^\s*[[{]/.test(text)) for (const token of this.contracts) this.invalidate(token, 'book.unreadable', at);
      return;
    }
    this.#store.batch(() => {
      for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#onMessage(message, at);
    });
  }

  #onMessage(message: unknown, at: number): void {
    this.#output.inspect?.(message);
    const type = isObject(message) ? message.event_type : undefined;
    if (type === 'price_change') this.#onPriceChange(message, at);
    else if (type === 'book') this.#onBook(message, at);
    else if (type === 'tick_size_change') {
      const change = this.#parseMessage(tickChangeMessage, message, at);
      if (change) this.invalidate(change.asset_id, 'book.tick_change', at);
    } else if (typeof type !== 'string' || !IGNORED_TYPES.has(type)) {
      const detail = 'A message of venue_b has an unknown type.';
      this.#output.reject(rejectedRow('message', typeOf(type), 'message.unknown_type', detail, message));
    }
  }

  #onPriceChange(message: unknown, at: number): void {
    if (isObject(message) && message.price_changes === undefined && typeof message.asset_id === 'string') {
      const detail = 'A price_change has the shape from before September 2025.';
      this.#output.reject(rejectedRow('message', 'price_change', 'message.old_shape', detail, message));
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
      // A repeated book is not a change: a dead subscription may repeat its books.
      if (!this.#store.get(book.asset_id)?.book?.equals(read)) this.#changedAt.set(book.asset_id, this.#now);
      this.#restStamps.delete(book.asset_id);
      this.#replaceBook(book.asset_id, read, book.hash, at, Number(book.timestamp));
    } catch (error) {
      this.#onUnreadable(book.asset_id, error, message, at);
    }
  }

  /**
   * One message contains both complementary tokens. A book is checked after the last change of its
   * token.
   */
  #onChanges(changes: readonly PriceChange[], stamp: number, at: number): void {
    this.#lagGuard.onStamp(stamp, at, this.#now);
    this.#output.onChange?.(this.#now, at);
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
      const entry = this.#store.get(token);
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
      // Sizes are absolute, so an older change after a newer one restores an old size.
      if (outOfOrder.has(token)) this.invalidate(token, 'book.gap', at);
      else this.#check(token, change, at, stamp);
    }
  }

  /** Ends a suspension. Books that are crossed are read again. */
  resume(reason: InvalidReason, at: number): void {
    for (const token of this.guard.resume(reason, at)) this.#scheduleRead(token, this.#now);
  }

  /**
   * Whether REST and the socket use different clocks: by its timestamp the book would be newer than
   * the fastest message of the socket can be.
   */
  #hasClockSkew(stamp: number, at: number): boolean {
    const usual = this.#lagGuard.usualOffset;
    return usual !== null && at - stamp < usual - MAX_CLOCK_SKEW_MS;
  }

  #check(token: string, change: PriceChange, at: number, stamp: number): void {
    const book = this.#store.get(token)?.book;
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
    const entry = this.#store.get(token);
    // Equal hashes mean equal books. A difference means that a message was lost before.
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

  /** Invalidates the book from `at` on and reads it over REST at once. */
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
    this.#output.reject(rejectedRow('book', token, code, error instanceof Error ? error.message : String(error), raw));
    this.guard.invalidate(token, 'book.unreadable', at);
    this.#pendingReads.delete(token);
    this.#scheduleRead(token, this.#now + MIN_REST_INTERVAL_MS * 2);
  }

  #untrack(token: string): void {
    this.unconfirmed.remove(token);
    for (const map of [this.#pendingReads, this.#restStamps, this.#hashes, this.#changedAt, this.#lastStamps])
      map.delete(token);
    this.guard.untrack(token);
  }

  #parseMessage<T>(schema: z.ZodType<T>, message: unknown, at: number): T | null {
    const result = parseRecord(schema, message, 'message');
    if (result.ok) return result.value;
    const type = isObject(message) ? typeOf(message.event_type) : 'unknown';
    this.#output.reject(rejectedRow('message', type, result.code, result.detail, message));
    // A change that cannot be parsed is a missed change of every token that it names, or of any
    // token if it names none.
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
