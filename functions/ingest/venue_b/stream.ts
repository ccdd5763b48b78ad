import type { z } from 'zod';
import type { Book } from '../books/book.ts';
import { Trust } from '../books/book_guard.ts';
import type { Doubt, Shelf } from '../books/book_store.ts';
import { Lateness, type LatenessOut } from '../books/lag_guard.ts';
import { WireFault } from '../decimal.ts';
import { isObject, read, setAside, typeOf } from '../feeds/parse.ts';
import type { SetAside } from '../listing.ts';
import { agrees, applyChange, bookOf } from './books.ts';
import { bookMessage, type PriceChange, priceChangeMessage, restBook, tickChangeMessage } from './schemas.ts';

export type StreamOut = LatenessOut & {
  send(command: unknown): void;
  aside(row: SetAside): void;
};

/** A token that waits for its book from REST, with what the socket said meanwhile. */
type Waiting = { askedAt: number; changes: { stamp: number; change: PriceChange }[] };

/** A token whose first book does not come with the subscription is read over REST after this long. */
const FIRST_BOOK_MS = 3_000;
/** The same token is not read over REST more often than this. */
const REST_AGAIN_MS = 1_000;
/** More than this many changes while a book is on its way are not worth keeping: the book will be read again. */
const MOST_WAITING = 2_000;
/** REST's stamps lie this far before what the socket's offset allows: the two clocks are not one, and say nothing of each other's order. */
const CLOCKS_APART_MS = 1_000;

const IGNORED = new Set(['last_trade_price', 'best_bid_ask', 'new_market', 'market_resolved']);

/**
 * The market channel of venue_b on one socket, without the socket. Nothing is numbered here: a lost message shows only where a change names
 * best prices that are not ours, and then the token's book is in doubt and read again over REST (`due`, `restored`).
 */
export class VenueBStream {
  private readonly shelf: Shelf;
  private readonly out: StreamOut;
  readonly contracts = new Set<string>();
  private readonly waiting = new Map<string, Waiting>();
  /** Venue time of the book that we hold, where REST gave it: older changes are in it already. */
  private readonly stamps = new Map<string, number>();
  private readonly hashes = new Map<string, string>();
  /** Venue time of the last change of each token: an older one after it came out of order. */
  private readonly order = new Map<string, number>();
  private readonly lateness: Lateness;
  readonly trust: Trust;
  private readonly heard = new Map<string, number>();
  private connected = false;
  private now = 0;
  private at = 0;
  lastNewsAt: number | null = null;
  mismatches = 0;

  constructor(shelf: Shelf, out: StreamOut) {
    this.shelf = shelf;
    this.out = out;
    this.trust = new Trust(shelf, () => this.contracts);
    this.lateness = new Lateness(this.trust, out, (at) => this.resume('feed.late', at));
  }

  opened(now: number): void {
    this.now = now;
    this.connected = true;
    this.waiting.clear();
    this.stamps.clear();
    this.order.clear();
    this.lateness.opened(this.at);
    if (this.contracts.size === 0) return;
    this.out.send({ assets_ids: [...this.contracts], type: 'market', custom_feature_enabled: false });
    for (const token of this.contracts) this.await(token, now + FIRST_BOOK_MS);
  }

  closed(why: Doubt, at: number): void {
    this.connected = false;
    this.shelf.together(() => {
      for (const token of this.contracts) this.trust.doubt(token, why, at);
    });
  }

  want(tokens: readonly string[], now: number): void {
    this.now = now;
    const fresh = tokens.filter((token) => !this.contracts.has(token));
    for (const token of fresh) {
      this.contracts.add(token);
      if (this.connected) this.await(token, now + FIRST_BOOK_MS);
    }
    if (this.connected && fresh.length > 0) this.out.send({ assets_ids: fresh, operation: 'subscribe' });
  }

  leave(tokens: readonly string[], now: number): void {
    this.now = now;
    const known = tokens.filter((token) => this.contracts.delete(token));
    for (const token of known) this.forget(token);
    if (this.connected && known.length > 0) this.out.send({ assets_ids: known, operation: 'unsubscribe' });
  }

  /** A subscription that has gone quiet by itself is asked for anew; that rescues about half of them (venues.md D). */
  renew(tokens: readonly string[]): void {
    if (!this.connected) return;
    this.out.send({ assets_ids: tokens, operation: 'unsubscribe' });
    this.out.send({ assets_ids: tokens, operation: 'subscribe' });
  }

  /** Tokens whose book must be read over REST now. */
  due(now: number): string[] {
    this.now = now;
    if (this.connected) this.lateness.tick(now);
    const tokens: string[] = [];
    for (const [token, waiting] of this.waiting) {
      if (waiting.askedAt > now) continue;
      waiting.askedAt = now + REST_AGAIN_MS * 5;
      tokens.push(token);
    }
    return this.connected ? tokens : [];
  }

  /** When something new was last said of this token, real ms. */
  heardAt(token: string): number {
    return this.heard.get(token) ?? 0;
  }

  /** What the venue called the book of this token last. */
  hashOf(token: string): string | undefined {
    return this.hashes.get(token);
  }

  /** A book that REST gave. Changes that came while it was on its way and are newer than it follow it. */
  restored(raw: unknown, at: number): string | null {
    const reading = read(restBook, raw, 'book');
    const token = isObject(raw) && typeof raw.asset_id === 'string' ? raw.asset_id : null;
    if (!reading.ok) {
      this.out.aside(setAside('book', token, reading.code, reading.detail, raw));
      return token;
    }
    const { asset_id, bids, asks, timestamp, hash } = reading.value;
    const waiting = this.waiting.get(asset_id);
    if (!this.contracts.has(asset_id) || !waiting) return asset_id;
    try {
      const book = bookOf(bids, asks);
      const stamp = Number(timestamp ?? 0);
      const apart = this.clocksApart(stamp, at);
      let saidAt = timestamp === undefined ? null : stamp;
      for (const later of waiting.changes) {
        if (!apart && later.stamp < stamp) continue;
        applyChange(book, later.change);
        saidAt = later.stamp;
      }
      if (apart) this.stamps.delete(asset_id);
      else this.stamps.set(asset_id, stamp);
      this.keep(asset_id, book, hash, at, saidAt);
    } catch (error) {
      this.unreadable(asset_id, error, raw, at);
    }
    return asset_id;
  }

  receive(text: string, at: number, now: number): void {
    this.now = now;
    this.at = at;
    if (text === 'PONG') return;
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      this.out.aside(
        setAside('message', null, 'message.not_json', 'A frame of venue_b is no JSON.', text.slice(0, 500)),
      );
      // Plain words are no book; a broken object may have been a change of any of them.
      if (/^\s*[[{]/.test(text)) for (const token of this.contracts) this.doubt(token, 'book.unreadable', at);
      return;
    }
    this.shelf.together(() => {
      for (const message of Array.isArray(frame) ? frame : [frame]) this.onMessage(message, at);
    });
  }

  private onMessage(message: unknown, at: number): void {
    const type = isObject(message) ? message.event_type : undefined;
    if (type === 'price_change') this.onPriceChange(message, at);
    else if (type === 'book') this.onBook(message, at);
    else if (type === 'tick_size_change') {
      const change = this.readMessage(tickChangeMessage, message, at);
      if (change) this.doubt(change.asset_id, 'book.tick_change', at);
    } else if (typeof type !== 'string' || !IGNORED.has(type)) {
      const detail = 'A frame of venue_b has a type that we do not know.';
      this.out.aside(setAside('message', typeOf(type), 'message.unknown_type', detail, message));
    }
  }

  private onPriceChange(message: unknown, at: number): void {
    if (isObject(message) && message.price_changes === undefined && typeof message.asset_id === 'string') {
      const detail = 'A price_change in the shape before September 2025 is refused.';
      this.out.aside(setAside('message', 'price_change', 'message.old_shape', detail, message));
      this.doubt(message.asset_id, 'book.gap', at);
      return;
    }
    const change = this.readMessage(priceChangeMessage, message, at);
    if (change) this.onChanges(change.price_changes, Number(change.timestamp), at);
  }

  private onBook(message: unknown, at: number): void {
    const book = this.readMessage(bookMessage, message, at);
    if (!book || !this.contracts.has(book.asset_id)) return;
    try {
      const read = bookOf(book.bids, book.asks);
      // The same book once more is no news: a dead subscription may repeat itself.
      if (!this.shelf.get(book.asset_id)?.book?.equals(read)) this.heard.set(book.asset_id, this.now);
      this.stamps.delete(book.asset_id);
      this.keep(book.asset_id, read, book.hash, at, Number(book.timestamp));
    } catch (error) {
      this.unreadable(book.asset_id, error, message, at);
    }
  }

  /** Both complementary tokens are listed in one message; a book is compared after the last change that names it. */
  private onChanges(changes: readonly PriceChange[], stamp: number, at: number): void {
    this.lateness.stamped(stamp, at, this.now);
    const touched = new Map<string, PriceChange>();
    const backwards = new Set<string>();
    for (const change of changes) {
      const token = change.asset_id;
      if (!this.contracts.has(token)) continue;
      this.heard.set(token, this.now);
      if (stamp < (this.order.get(token) ?? 0)) backwards.add(token);
      const waiting = this.waiting.get(token);
      if (waiting) {
        if (waiting.changes.length < MOST_WAITING) waiting.changes.push({ stamp, change });
        else waiting.changes.length = 0;
        continue;
      }
      const held = this.shelf.get(token);
      if (!held?.book || stamp < (this.stamps.get(token) ?? 0)) continue;
      try {
        applyChange(held.book, change);
        touched.set(token, change);
      } catch (error) {
        touched.delete(token);
        this.unreadable(token, error, change, at);
      }
    }
    for (const { asset_id } of changes) if (this.contracts.has(asset_id)) this.order.set(asset_id, stamp);
    for (const [token, change] of touched) {
      // Sizes are absolute, so a change that was overtaken by a later one has put an old size back.
      if (backwards.has(token)) this.doubt(token, 'book.gap', at);
      else this.check(token, change, at, stamp);
    }
  }

  /** The hold is over: books that turn out to be crossed are read again. */
  resume(why: Doubt, at: number): void {
    for (const token of this.trust.release(why, at)) this.await(token, this.now);
  }

  /** A book cannot be younger by its stamp than the fastest message of the socket is: then REST has another clock. */
  private clocksApart(stamp: number, at: number): boolean {
    const usual = this.lateness.usual;
    return usual !== null && at - stamp < usual - CLOCKS_APART_MS;
  }

  private check(token: string, change: PriceChange, at: number, stamp: number): void {
    const book = this.shelf.get(token)?.book;
    if (!book) return;
    this.lastNewsAt = at;
    if (change.hash) this.hashes.set(token, change.hash);
    let same: boolean;
    try {
      same = agrees(book, change);
    } catch (error) {
      this.unreadable(token, error, change, at);
      return;
    }
    if (!same) {
      this.mismatches += 1;
      this.doubt(token, 'book.gap', at);
    } else if (!this.trust.touch(token, at, stamp)) {
      this.await(token, this.now);
    }
  }

  private keep(token: string, book: Book, hash: string | undefined, at: number, venueAt: number | null): void {
    const held = this.shelf.get(token);
    // An equal hash names an equal book: if ours differs, something was lost on the way to it.
    if (hash && held?.doubt === null && this.hashes.get(token) === hash && held.book && !held.book.equals(book))
      this.mismatches += 1;
    if (hash) this.hashes.set(token, hash);
    this.lastNewsAt = at;
    this.waiting.delete(token);
    if (!this.trust.put(token, book, at, venueAt)) this.await(token, this.now + REST_AGAIN_MS * 2);
  }

  /** Not believed from `at` on; read again over REST at once. */
  doubt(token: string, why: Doubt, at: number): void {
    if (!this.contracts.has(token)) return;
    this.trust.doubt(token, why, at);
    this.await(token, this.now);
  }

  private await(token: string, when: number): void {
    const waiting = this.waiting.get(token);
    if (waiting) waiting.askedAt = Math.min(waiting.askedAt, Math.max(when, this.now));
    else this.waiting.set(token, { askedAt: when, changes: [] });
  }

  private unreadable(token: string, error: unknown, raw: unknown, at: number): void {
    const code = error instanceof WireFault ? error.code : 'book.unreadable';
    this.out.aside(setAside('book', token, code, error instanceof Error ? error.message : String(error), raw));
    this.trust.doubt(token, 'book.unreadable', at);
    this.waiting.delete(token);
    this.await(token, this.now + REST_AGAIN_MS * 2);
  }

  private forget(token: string): void {
    for (const map of [this.waiting, this.stamps, this.hashes, this.heard, this.order]) map.delete(token);
    this.trust.forget(token);
  }

  private readMessage<T>(schema: z.ZodType<T>, message: unknown, at: number): T | null {
    const result = read(schema, message, 'message');
    if (result.ok) return result.value;
    const type = isObject(message) ? typeOf(message.event_type) : 'unknown';
    this.out.aside(setAside('message', type, result.code, result.detail, message));
    // A change that cannot be read is a change that was missed, of whatever tokens it names.
    const named = namedTokens(message);
    for (const token of named.length > 0 ? named : this.contracts) this.doubt(token, 'book.unreadable', at);
    return null;
  }
}

function namedTokens(message: unknown): string[] {
  if (!isObject(message)) return [];
  const rows: unknown[] = [message, ...(Array.isArray(message.price_changes) ? message.price_changes : [])];
  return rows.flatMap((row) => (isObject(row) && typeof row.asset_id === 'string' ? [row.asset_id] : []));
}
