import type { z } from 'zod';
import type { Book } from '../books/book.ts';
import { Trust } from '../books/book_guard.ts';
import type { Doubt, Shelf } from '../books/book_store.ts';
import { Lateness, type LatenessOut } from '../books/lag_guard.ts';
import { WireFault } from '../decimal.ts';
import { isObject, read, setAside, typeOf } from '../feeds/parse.ts';
import type { SetAside } from '../listing.ts';
import { applyDelta, bookOf } from './books.ts';
import { type ScaleOut, ScaleProof } from './price_scale_check.ts';
import { deltaFrame, errorFrame, okFrame, snapshotFrame, subscribedFrame } from './schemas.ts';
import { Subscription, type SubscriptionOut } from './subscription.ts';

export type StreamOut = SubscriptionOut &
  LatenessOut &
  ScaleOut & {
    aside(row: SetAside): void;
    /** Error 9: the key is not accepted. */
    refused(): void;
    /** Error 25: too much for one connection. */
    overflow(): void;
  };

/**
 * The order book channel of venue_a on one socket, without the socket: frames in, books on the shelf, commands out.
 *
 * One subscription (sid) carries all tickers and one sequence counts everything it says, `ok` included. A number that is not the next one
 * means that any of its books may be wrong: all are in doubt until a new snapshot of each has come. In whose prices the NO side is
 * written is not believed either: books of a new subscription wait until REST has shown it (scale_proof.ts).
 */
export class VenueAStream {
  private readonly shelf: Shelf;
  private readonly out: StreamOut;
  private readonly subscription: Subscription;
  readonly trust: Trust;
  private readonly lateness: Lateness;
  private readonly scale: ScaleProof;
  /** Real time of each ticker's last news. */
  private readonly heard = new Map<string, number>();
  private seq: number | null = null;
  private at = 0;
  lastNewsAt: number | null = null;
  /** Real time of the last book message. */
  newsHeardAt = 0;
  gaps = 0;

  constructor(shelf: Shelf, out: StreamOut, noInYesPrices = true) {
    this.shelf = shelf;
    this.out = out;
    this.trust = new Trust(shelf, () => this.contracts);
    this.lateness = new Lateness(this.trust, out, (at) => this.resume('feed.late', at));
    this.scale = new ScaleProof(shelf, this.trust, out, noInYesPrices);
    this.subscription = new Subscription(shelf, out, noInYesPrices);
  }

  get contracts(): ReadonlySet<string> {
    return this.subscription.tickers;
  }

  opened(now: number): void {
    this.subscription.now = now;
    this.seq = null;
    this.newsHeardAt = now;
    this.lateness.opened(this.at);
    this.scale.opened(this.at, now);
    this.subscription.opened();
  }

  /** The socket is gone: nobody knows these books since `at`. */
  closed(why: Doubt, at: number): void {
    this.subscription.closed();
    this.scale.closed();
    this.shelf.together(() => {
      for (const ticker of this.contracts) this.trust.doubt(ticker, why, at);
    });
  }

  /** When something new was last said of this ticker, real ms. */
  heardAt(ticker: string): number {
    return this.heard.get(ticker) ?? 0;
  }

  /** Asks for new snapshots; nothing else that is said of these tickers counts until then. */
  renew(tickers: readonly string[]): void {
    this.subscription.resync(tickers.filter((ticker) => !this.subscription.awaiting.has(ticker)));
  }

  want(tickers: readonly string[], now: number): void {
    this.subscription.now = now;
    this.subscription.want(tickers);
  }

  leave(tickers: readonly string[], now: number): void {
    this.subscription.now = now;
    this.subscription.leave(tickers);
    for (const ticker of tickers) {
      this.heard.delete(ticker);
      this.trust.forget(ticker);
    }
  }

  ping(): string {
    return this.subscription.ping();
  }

  /** Asks again for what is overdue. Call it about once a second. */
  tick(now: number): void {
    this.subscription.now = now;
    this.subscription.tick();
    this.scale.tick(this.contracts, now);
    this.lateness.tick(now);
  }

  /** Books as REST has them, for the scale; null where REST did not answer. */
  scaleShown(books: ReadonlyMap<string, Book> | null, at: number): void {
    if (this.scale.shown(this.contracts, books, at, this.subscription.now)) this.resume('book.scale', at);
  }

  /** The hold is over: books that turn out to be crossed are read again. */
  resume(why: Doubt, at: number): void {
    for (const ticker of this.trust.release(why, at)) this.subscription.resyncLater(ticker);
  }

  /** One frame off the socket. `at`: market time of receipt; `now`: real time. */
  receive(text: string, at: number, now: number): void {
    this.subscription.now = now;
    this.at = at;
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      this.out.aside(
        setAside('message', null, 'message.not_json', 'A frame of venue_a is no JSON.', text.slice(0, 500)),
      );
      // It may have been a change of any book; the next number would say so too, but only when it comes.
      this.lose([...this.contracts], 'book.unreadable');
      return;
    }
    if (!isObject(frame)) {
      this.unknownType(frame, 'none');
      return;
    }
    if (frame.sid === this.subscription.sid && typeof frame.seq === 'number') this.count(frame.seq);
    if (frame.type === 'orderbook_delta') this.onDelta(frame);
    else if (frame.type === 'orderbook_snapshot') this.onSnapshot(frame);
    else if (frame.type === 'ok') this.onOk(frame);
    else if (frame.type === 'subscribed') this.onSubscribed(frame);
    else if (frame.type === 'error') this.onError(frame);
    else if (frame.type !== 'unsubscribed') {
      this.unknownType(frame, typeOf(frame.type));
      // Numbered in the books' own sequence, it says something of a book, by a name that we do not know.
      if (frame.sid === this.subscription.sid && frame.seq !== undefined)
        this.lose([...this.contracts], 'book.unreadable');
    }
  }

  private onSubscribed(frame: unknown): void {
    const subscribed = this.readFrame(subscribedFrame, frame);
    if (subscribed?.msg.channel !== 'orderbook_delta') return;
    if (this.subscription.began(subscribed.msg.sid, subscribed.id)) this.seq = null;
  }

  private onOk(frame: unknown): void {
    this.subscription.answered(this.readFrame(okFrame, frame)?.id);
  }

  private onSnapshot(frame: unknown): void {
    const msg = this.readFrame(snapshotFrame, frame)?.msg;
    if (!msg || !this.contracts.has(msg.market_ticker)) return;
    this.subscription.snapshotCame(msg.market_ticker);
    try {
      const book = bookOf(msg.yes_dollars_fp, msg.no_dollars_fp, this.scale.inYesPrices);
      // The same book once more is no news: a dead subscription may repeat itself.
      this.news(this.shelf.get(msg.market_ticker)?.book?.equals(book) ? null : msg.market_ticker);
      if (!this.trust.put(msg.market_ticker, book, this.at)) this.subscription.resyncLater(msg.market_ticker);
      this.scale.snapshotCame(this.contracts, this.subscription.now);
    } catch (error) {
      this.unreadable(msg.market_ticker, error, frame);
    }
  }

  private onDelta(frame: unknown): void {
    const msg = this.readFrame(deltaFrame, frame)?.msg;
    if (!msg || !this.contracts.has(msg.market_ticker) || this.subscription.awaiting.has(msg.market_ticker)) return;
    const book = this.shelf.get(msg.market_ticker)?.book;
    if (!book) return;
    this.lateness.stamped(msg.ts_ms, this.at, this.subscription.now);
    try {
      applyDelta(book, msg, this.scale.inYesPrices);
      this.news(msg.market_ticker);
      if (!this.trust.touch(msg.market_ticker, this.at, msg.ts_ms ?? null))
        this.subscription.resync([msg.market_ticker]);
    } catch (error) {
      this.unreadable(msg.market_ticker, error, frame);
    }
  }

  private count(seq: number): void {
    const expected = this.seq === null ? seq : this.seq + 1;
    this.seq = seq;
    if (seq === expected) return;
    this.gaps += 1;
    this.lose([...this.contracts], 'book.gap');
  }

  private onError(frame: unknown): void {
    const error = this.readFrame(errorFrame, frame);
    if (!error) return;
    const { code, msg, market_ticker } = error.msg;
    const command = this.subscription.answered(error.id);
    if (code === 9) this.out.refused();
    else if (code === 25) this.out.overflow();
    else if (code === 6) {
      // Already subscribed: the markets are ours, only their snapshots are owed.
      if (this.subscription.sid !== null && command) this.subscription.resync(command.tickers);
      else this.out.restart('error 6 before a subscription is known');
    } else if (code === 16 && (command || market_ticker !== undefined)) {
      const unknown = this.subscription.refusedAsUnknown(command, market_ticker);
      if (unknown !== null) this.trust.doubt(unknown, 'book.missing', this.at);
    } else {
      const detail = `venue_a answered error ${code}: ${msg ?? ''}`;
      this.out.aside(setAside('message', String(code), 'message.error', detail, command?.kind ?? null));
      if (command) this.subscription.retry(command, `error ${code}`);
    }
  }

  private unreadable(ticker: string, error: unknown, frame: unknown): void {
    const code = error instanceof WireFault ? error.code : 'book.unreadable';
    this.out.aside(setAside('book', ticker, code, error instanceof Error ? error.message : String(error), frame));
    this.trust.doubt(ticker, 'book.unreadable', this.at);
    this.subscription.resyncLater(ticker);
  }

  private readFrame<T>(schema: z.ZodType<T>, frame: unknown): T | null {
    const result = read(schema, frame, 'message');
    if (result.ok) return result.value;
    const type = isObject(frame) ? typeOf(frame.type) : 'unknown';
    this.out.aside(setAside('message', type, result.code, result.detail, frame));
    // A book message that cannot be read is a change that was missed, of whatever ticker it named.
    if (type.startsWith('orderbook_')) {
      const ticker = isObject(frame) && isObject(frame.msg) ? frame.msg.market_ticker : undefined;
      const named = typeof ticker === 'string' && this.contracts.has(ticker);
      this.lose(named ? [ticker] : [...this.contracts], 'book.unreadable');
    }
    return null;
  }

  private lose(tickers: readonly string[], why: Doubt): void {
    this.shelf.together(() => {
      for (const ticker of tickers) this.trust.doubt(ticker, why, this.at);
    });
    this.subscription.resync(tickers.filter((ticker) => !this.subscription.awaiting.has(ticker)));
  }

  private unknownType(frame: unknown, type: string): void {
    const detail = 'A frame of venue_a has a type that we do not know.';
    this.out.aside(setAside('message', type, 'message.unknown_type', detail, frame));
  }

  private news(ticker: string | null): void {
    if (ticker !== null) this.heard.set(ticker, this.subscription.now);
    this.lastNewsAt = this.at;
    this.newsHeardAt = this.subscription.now;
  }
}
