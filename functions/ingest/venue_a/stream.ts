import type { z } from 'zod';
import type { Book } from '../books/book.ts';
import { BookGuard } from '../books/book_guard.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { LagGuard, type LagGuardOutput } from '../books/lag_guard.ts';
import { DecimalParseError } from '../decimal.ts';
import { isObject, parseRecord, rejectedRow, typeOf } from '../feeds/parse.ts';
import type { RejectedRow } from '../listing.ts';
import { applyDelta, bookOf } from './books.ts';
import { PriceScaleCheck, type PriceScaleOutput } from './price_scale_check.ts';
import { deltaMessage, errorMessage, okMessage, snapshotMessage, subscribedMessage } from './schemas.ts';
import { type Command, Subscription, type SubscriptionOutput } from './subscription.ts';

export type StreamOutput = SubscriptionOutput &
  LagGuardOutput &
  PriceScaleOutput & {
    reject(row: RejectedRow): void;
    /** Every message that could be parsed as JSON, before it is handled. */
    inspect?(message: unknown): void;
    /** Error 9: the venue rejects the key. */
    onKeyRejected(): void;
    /** Error 25: the connection carries too much. */
    onOverflow(): void;
    /** Error 26: the subscription takes this many markets. It dropped the others. */
    onMarketLimit?(limit: number): void;
  };

/**
 * Channel error and internal error. The venue ends the subscription, and no message shows it later
 * (websocket-connection of 2026-08-22). Error 25 ends it too.
 */
const TERMINAL = [10, 17];

/**
 * The order book channel of venue_a on one socket, without the socket: it receives messages, writes
 * books to the book store and sends commands.
 *
 * One subscription (sid) carries all tickers. One sequence counts all of its messages, `ok`
 * included. After a gap any of its books may be wrong, so each is invalid until its new snapshot
 * arrives. The books of a new subscription also wait until the price scale of the NO side is
 * confirmed (price_scale_check.ts).
 */
export class VenueAStream {
  readonly #store: BookStore;
  readonly #output: StreamOutput;
  readonly #subscription: Subscription;
  readonly guard: BookGuard;
  readonly #lagGuard: LagGuard;
  readonly #scaleCheck: PriceScaleCheck;
  /** Real time of the last change of each ticker. */
  readonly #changedAt = new Map<string, number>();
  #seq: number | null = null;
  #at = 0;
  lastMessageAt: number | null = null;
  gaps = 0;

  constructor(store: BookStore, output: StreamOutput, noInYesPrices = true) {
    this.#store = store;
    this.#output = output;
    this.guard = new BookGuard(store, () => this.contracts);
    this.#lagGuard = new LagGuard(this.guard, output, (at) => this.resume('feed.late', at));
    this.#scaleCheck = new PriceScaleCheck(store, this.guard, output, noInYesPrices);
    this.#subscription = new Subscription(store, output, noInYesPrices);
  }

  get contracts(): ReadonlySet<string> {
    return this.#subscription.tickers;
  }

  onOpen(now: number): void {
    this.#subscription.now = now;
    this.#seq = null;
    this.#lagGuard.onOpen(this.#at);
    this.#scaleCheck.onOpen(this.#at, now);
    this.#subscription.onOpen();
  }

  /** The socket is closed. All its books are invalid since `at`. */
  onClose(reason: InvalidReason, at: number): void {
    this.#subscription.onClose();
    this.#scaleCheck.onClose();
    this.#store.batch(() => {
      for (const ticker of this.contracts) this.guard.invalidate(ticker, reason, at);
    });
  }

  /** Real time of the last change of this ticker, epoch ms; 0 for never. */
  lastChangeAt(ticker: string): number {
    return this.#changedAt.get(ticker) ?? 0;
  }

  /** Requests new snapshots. Other messages about these tickers are ignored until then. */
  resubscribe(tickers: readonly string[]): void {
    this.#subscription.resync(tickers.filter((ticker) => !this.#subscription.awaiting.has(ticker)));
  }

  subscribe(tickers: readonly string[], now: number): void {
    this.#subscription.now = now;
    this.#subscription.subscribe(tickers);
  }

  unsubscribe(tickers: readonly string[], now: number): void {
    this.#subscription.now = now;
    this.#subscription.unsubscribe(tickers);
    for (const ticker of tickers) {
      this.#changedAt.delete(ticker);
      this.guard.untrack(ticker);
    }
  }

  ping(): string {
    return this.#subscription.ping();
  }

  /** Sends overdue requests again. The feed calls it once a second. */
  onTimer(now: number): void {
    this.#subscription.now = now;
    this.#subscription.onTimer();
    this.#scaleCheck.onTimer(this.contracts, now);
    this.#lagGuard.onTimer(now);
  }

  /** Books from REST for the price scale check. Null when the request failed. */
  onScaleBooks(books: ReadonlyMap<string, Book> | null, at: number): void {
    if (this.#scaleCheck.onBooks(this.contracts, books, at, this.#subscription.now)) this.resume('book.scale', at);
  }

  /** Suspends the tickers that `covers` selects and resumes the others. */
  suspendSome(reason: InvalidReason, at: number, covers: (ticker: string) => boolean): void {
    for (const ticker of this.guard.suspendSome(reason, at, covers)) this.#subscription.resyncLater(ticker);
  }

  /** Ends a suspension. Books that are crossed are read again. */
  resume(reason: InvalidReason, at: number): void {
    for (const ticker of this.guard.resume(reason, at)) this.#subscription.resyncLater(ticker);
  }

  /** Handles one message. `at` is the market time of receipt, `now` real time. */
  receive(text: string, at: number, now: number): void {
    this.#subscription.now = now;
    this.#at = at;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#output.reject(
        rejectedRow('message', null, 'message.not_json', 'A message of venue_a is not JSON.', text.slice(0, 500)),
      );
      // The message may have changed any book. The next sequence number would show it too, but only
      // when it arrives.
      this.#invalidate([...this.contracts], 'book.unreadable');
      return;
    }
    if (!isObject(message)) {
      this.#rejectUnknownType(message, 'none');
      return;
    }
    this.#output.inspect?.(message);
    if (message.sid === this.#subscription.sid && typeof message.seq === 'number') this.#checkSequence(message.seq);
    if (message.type === 'orderbook_delta') this.#onDelta(message);
    else if (message.type === 'orderbook_snapshot') this.#onSnapshot(message);
    else if (message.type === 'ok') this.#onOk(message);
    else if (message.type === 'subscribed') this.#onSubscribed(message);
    else if (message.type === 'error') this.#onError(message);
    else if (message.type !== 'unsubscribed') {
      this.#rejectUnknownType(message, typeOf(message.type));
      // It has a number of the book sequence, so it changes a book in an unknown way.
      if (message.sid === this.#subscription.sid && message.seq !== undefined)
        this.#invalidate([...this.contracts], 'book.unreadable');
    }
  }

  #onSubscribed(message: unknown): void {
    const subscribed = this.#parseMessage(subscribedMessage, message);
    if (subscribed?.msg.channel !== 'orderbook_delta') return;
    if (this.#subscription.onSubscribed(subscribed.msg.sid, subscribed.id)) this.#seq = null;
  }

  #onOk(message: unknown): void {
    this.#subscription.onExecuted(this.#parseMessage(okMessage, message)?.id);
  }

  #onSnapshot(message: unknown): void {
    const msg = this.#parseMessage(snapshotMessage, message)?.msg;
    if (!msg || !this.contracts.has(msg.market_ticker)) return;
    this.#subscription.onSnapshot(msg.market_ticker);
    try {
      const book = bookOf(msg.yes_dollars_fp, msg.no_dollars_fp, this.#scaleCheck.isInYesPrices);
      // A repeated book is not a change: a dead subscription may repeat its books.
      this.#recordChange(this.#store.get(msg.market_ticker)?.book?.equals(book) ? null : msg.market_ticker);
      if (!this.guard.replace(msg.market_ticker, book, this.#at)) this.#subscription.resyncLater(msg.market_ticker);
      this.#scaleCheck.onSnapshot(this.contracts, this.#subscription.now);
    } catch (error) {
      this.#onUnreadable(msg.market_ticker, error, message);
    }
  }

  #onDelta(message: unknown): void {
    const msg = this.#parseMessage(deltaMessage, message)?.msg;
    if (!msg || !this.contracts.has(msg.market_ticker) || this.#subscription.awaiting.has(msg.market_ticker)) return;
    const book = this.#store.get(msg.market_ticker)?.book;
    if (!book) return;
    this.#lagGuard.onStamp(msg.ts_ms, this.#at, this.#subscription.now);
    try {
      applyDelta(book, msg, this.#scaleCheck.isInYesPrices);
      this.#recordChange(msg.market_ticker);
      if (!this.guard.markUpdated(msg.market_ticker, this.#at, msg.ts_ms ?? null))
        this.#subscription.resync([msg.market_ticker]);
    } catch (error) {
      this.#onUnreadable(msg.market_ticker, error, message);
    }
  }

  #checkSequence(seq: number): void {
    const expected = this.#seq === null ? seq : this.#seq + 1;
    this.#seq = seq;
    if (seq === expected) return;
    this.gaps += 1;
    this.#invalidate([...this.contracts], 'book.gap');
  }

  #onError(message: unknown): void {
    const error = this.#parseMessage(errorMessage, message);
    if (!error) return;
    const { code, msg, market_ticker } = error.msg;
    const command = this.#subscription.takeCommand(error.id);
    if (code === 9) this.#output.onKeyRejected();
    // Error 26 that names no command: as after error 25, the connection is split.
    else if (code === 25 || (code === 26 && !command)) this.#output.onOverflow();
    else if (code === 26 && this.#onMarketLimit(command)) return;
    else if (code === 27) this.#subscription.onCommandRate(command);
    else if (TERMINAL.includes(code)) this.#output.reconnect(`error ${code}`);
    else if (code === 6) {
      // Already subscribed: only the snapshots are missing.
      if (this.#subscription.sid !== null && command) this.#subscription.resync(command.tickers);
      else this.#output.reconnect('error 6 before a subscription is known');
    } else if (code === 16 && (command || market_ticker !== undefined)) {
      const unknown = this.#subscription.onUnknownMarket(command, market_ticker);
      if (unknown !== null) this.guard.invalidate(unknown, 'book.missing', this.#at);
    } else {
      const detail = `venue_a sent error ${code}: ${msg ?? ''}`;
      this.#output.reject(rejectedRow('message', String(code), 'message.error', detail, command?.kind ?? null));
      if (command) this.#subscription.retry(command, `error ${code}`);
    }
  }

  /** Returns whether the tickers were split. */
  #onMarketLimit(command: Command | undefined): boolean {
    const split = this.#subscription.onMarketLimit(command);
    if (!split) return false;
    for (const ticker of split.dropped) {
      this.#changedAt.delete(ticker);
      this.guard.untrack(ticker);
      if (this.#store.get(ticker)?.invalidReason === null) this.guard.invalidate(ticker, 'book.gap', this.#at);
    }
    this.#output.onMarketLimit?.(split.limit);
    return true;
  }

  #onUnreadable(ticker: string, error: unknown, message: unknown): void {
    const code = error instanceof DecimalParseError ? error.code : 'book.unreadable';
    this.#output.reject(
      rejectedRow('book', ticker, code, error instanceof Error ? error.message : String(error), message),
    );
    this.guard.invalidate(ticker, 'book.unreadable', this.#at);
    this.#subscription.resyncLater(ticker);
  }

  #parseMessage<T>(schema: z.ZodType<T>, message: unknown): T | null {
    const result = parseRecord(schema, message, 'message');
    if (result.ok) return result.value;
    const type = isObject(message) ? typeOf(message.type) : 'unknown';
    this.#output.reject(rejectedRow('message', type, result.code, result.detail, message));
    // A book message that cannot be parsed is a missed change, of any ticker if it names none.
    if (type.startsWith('orderbook_')) {
      const ticker = isObject(message) && isObject(message.msg) ? message.msg.market_ticker : undefined;
      const isNamed = typeof ticker === 'string' && this.contracts.has(ticker);
      this.#invalidate(isNamed ? [ticker] : [...this.contracts], 'book.unreadable');
    }
    return null;
  }

  #invalidate(tickers: readonly string[], reason: InvalidReason): void {
    this.#store.batch(() => {
      for (const ticker of tickers) this.guard.invalidate(ticker, reason, this.#at);
    });
    this.#subscription.resync(tickers.filter((ticker) => !this.#subscription.awaiting.has(ticker)));
  }

  #rejectUnknownType(message: unknown, type: string): void {
    const detail = 'A message of venue_a has an unknown type.';
    this.#output.reject(rejectedRow('message', type, 'message.unknown_type', detail, message));
  }

  #recordChange(ticker: string | null): void {
    if (ticker !== null) this.#changedAt.set(ticker, this.#subscription.now);
    this.lastMessageAt = this.#at;
  }
}
