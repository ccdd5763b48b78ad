import { ReconnectingSocket, type SocketFactory } from '../../_shared/reconnecting_socket.ts';
import type { Book } from '../books/book.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { Audit, AuditScheduler, QUIET_MS, type RestBook } from '../feeds/audit.ts';
import { assignContracts, type BookFeed, chunks, type FeedRuntime, latestOf } from '../feeds/feed.ts';
import { overLimitRow } from '../feeds/parse.ts';
import type { AccessKey } from './access_key.ts';
import { HandshakeCheck } from './handshake_check.ts';
import { countBooks, countExchangeStatus, messageInspector } from './known_fields.ts';
import { VenueAPolling } from './polling.ts';
import type { VenueARest } from './rest.ts';
import { parseRestBook } from './rest_book.ts';
import { VenueAStream } from './stream.ts';
import { TradingStatus } from './trading_status.ts';

export type VenueAFeedOptions = {
  store: BookStore;
  rest: VenueARest;
  runtime: FeedRuntime;
  /** Null without a key. The venue's socket requires one, so books are then polled. */
  socket: { url: string; make: SocketFactory; key: AccessKey } | null;
  /** Why there is no key although one is set, for the detail of the feed. */
  keyProblem?: string | null;
  /** The exchange index of a ticker, from its listing. Null when it is not known. */
  indexOf?(ticker: string): number | null;
  /** A ticker without changes for this long is compared with REST. */
  quietMs?: number;
  /** How often the exchange status is polled. */
  statusMs?: number;
};

/** One sequence covers all tickers of a socket, so a gap costs at most this many snapshots. */
const MAX_TICKERS_PER_SOCKET = 500;
const MIN_TICKERS_PER_SOCKET = 25;
/**
 * Comparisons with REST per second, 100 tickers each. A Basic key may read 20 times a second, and
 * `rest.ts` keeps to that (venues.md A7). 4 comparisons are a fifth of it, leave enough for the
 * listings, and cover 4,000 quiet tickers in the 10 s after which a quiet ticker is due.
 */
const AUDITS_PER_SECOND = 4;
/** How often the exchange status is read. */
export const STATUS_MS = 15_000;

type Connection = { stream: VenueAStream; socket: ReconnectingSocket; audit: Audit };

/**
 * Reads the books of venue_a: over WebSockets with a key, by polling without a key or after the key
 * was rejected.
 */
export class VenueAFeed implements BookFeed {
  readonly #options: VenueAFeedOptions;
  readonly #connections: Connection[] = [];
  readonly #stopping = new AbortController();
  #polling: VenueAPolling | null = null;
  #maxPerSocket = MAX_TICKERS_PER_SOCKET;
  #timer: Promise<void> = Promise.resolve();
  #statusPoll: Promise<void> = Promise.resolve();
  readonly #status = new TradingStatus();
  readonly #handshakes: HandshakeCheck | null;
  readonly #scheduler = new AuditScheduler();
  readonly #closing: Promise<void>[] = [];

  constructor(options: VenueAFeedOptions) {
    this.#options = options;
    const { socket, rest, runtime } = options;
    const refuse = (reason: string): void => this.#onKeyRejected(reason);
    this.#handshakes = socket && new HandshakeCheck({ ...socket, rest, runtime, refuse });
    if (!socket) this.#createPolling();
  }

  get lastMessageAt(): number | null {
    return latestOf([
      ...this.#connections.map((connection) => connection.stream.lastMessageAt),
      this.#polling?.lastMessageAt ?? null,
    ]);
  }

  get lastAliveAt(): number | null {
    return latestOf([
      ...this.#connections.map((connection) => connection.socket.lastAliveAt),
      this.#polling?.lastMessageAt ?? null,
    ]);
  }

  get detail(): string {
    const { socket, keyProblem, rest } = this.#options;
    const refusal = socket?.key.refusal;
    const parts = [
      this.#polling ? 'polling' : 'websocket',
      refusal ? `key refused (${refusal})` : keyProblem,
      rest.readsSingleBooks ? 'single books' : null,
      this.#status.describe(this.#indexes()),
    ];
    return parts.filter((part) => part).join(', ');
  }

  start(): void {
    this.#timer = this.#runTimer();
    this.#statusPoll = this.#pollStatus();
    this.#polling?.start();
    this.updateSubscriptions();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([
      this.#timer,
      this.#statusPoll,
      this.#polling?.stop(),
      ...this.#connections.map((connection) => connection.socket.stop()),
      ...this.#closing,
    ]);
  }

  updateSubscriptions(): void {
    if (this.#stopping.signal.aborted) return;
    if (!this.#polling) {
      const now = this.#options.runtime.now();
      const wanted = new Set(this.#options.store.contracts());
      const streams = this.#connections.map((connection) => connection.stream);
      const unassigned = assignContracts(streams, wanted, this.#maxPerSocket, now);
      for (const part of chunks(unassigned, this.#maxPerSocket)) this.#connect(part);
    }
    this.#applyStatus();
  }

  #connect(tickers: readonly string[]): void {
    const { runtime, store, socket } = this.#options;
    if (!socket) return;
    const path = new URL(socket.url).pathname;
    const stream: VenueAStream = new VenueAStream(store, {
      send: (command) => liveSocket.send(command),
      reject: runtime.reject,
      inspect: messageInspector(runtime.unknown),
      reconnect: (reason) => {
        runtime.log(`venue_a: the feed reconnects: ${reason}`);
        liveSocket.reconnect();
      },
      onKeyRejected: () => this.#onKeyRejected('error 9'),
      onOverflow: () => this.#split(connection),
      onMarketLimit: (limit) => this.#onMarketLimit(limit),
      segment: () => runtime.segment(),
      requestScaleBooks: (sample) => void this.#checkPriceScale(stream, sample),
      onScaleFound: (verdict, books) => {
        if (verdict === 'other')
          runtime.log(`venue_a: NO prices are in the other scale than requested (${books} books compared)`);
      },
    });
    const liveSocket: ReconnectingSocket = new ReconnectingSocket({
      url: socket.url,
      make: socket.make,
      runtime,
      headers: () => socket.key.sign('GET', path),
      on: {
        open: () => {
          this.#handshakes?.onOpen();
          stream.onOpen(runtime.now());
          connection.audit.onOpen(runtime.now());
        },
        message: (text, at) => stream.receive(text, at, runtime.now()),
        refused: (status) => this.#handshakes?.onRefused(status),
        overLimit: (fault) => runtime.reject(overLimitRow('venue_a', fault)),
        down: (reason, lastAlive) => stream.onClose(reason, lastAlive ?? runtime.marketNow()),
        ping: () => stream.ping(),
      },
    });
    const connection: Connection = { stream, socket: liveSocket, audit: this.#createAudit(stream, liveSocket) };
    if (!this.#status.isKnown) stream.guard.suspend('venue.paused', runtime.marketNow(), true);
    stream.subscribe(tickers, runtime.now());
    this.#connections.push(connection);
    liveSocket.start();
  }

  /**
   * Error 25, the connection carries too much: splits its tickers over connections of half the
   * size.
   */
  #split(connection: Connection): void {
    const at = this.#connections.indexOf(connection);
    if (at < 0) return;
    this.#connections.splice(at, 1);
    connection.stream.onClose('book.gap', this.#options.runtime.marketNow());
    this.#closing.push(connection.socket.stop());
    const half = Math.ceil(Math.min(this.#maxPerSocket, connection.stream.contracts.size) / 2);
    this.#maxPerSocket = Math.min(this.#maxPerSocket, Math.max(MIN_TICKERS_PER_SOCKET, half));
    this.#options.runtime.log(
      `venue_a: buffer overflow; a connection now carries at most ${this.#maxPerSocket} markets`,
    );
    this.updateSubscriptions();
  }

  /**
   * Error 26, a subscription carries too many markets. The tickers that it did not take go to other
   * connections.
   */
  #onMarketLimit(limit: number): void {
    this.#maxPerSocket = Math.min(this.#maxPerSocket, limit);
    this.#options.runtime.log(
      `venue_a: the market limit of a subscription; a connection now carries at most ${this.#maxPerSocket} markets`,
    );
    this.updateSubscriptions();
  }

  /**
   * The venue refuses the key: with 401 on the handshake, or with error 9 on an open socket. The
   * feed logs it and polls without signature, as it does without a key.
   */
  #onKeyRejected(reason: string): void {
    const { socket, runtime } = this.#options;
    if (this.#polling || !socket || this.#stopping.signal.aborted) return;
    socket.key.refuse(reason, 'socket');
    runtime.log(`venue_a: the venue refuses the key (${reason}); the feed polls books over REST without it`);
    for (const connection of this.#connections.splice(0)) {
      connection.stream.onClose('feed.disconnected', runtime.marketNow());
      this.#closing.push(connection.socket.stop());
    }
    this.#createPolling().start();
  }

  /**
   * Tries the key again while books are polled. Returns to the socket when the venue accepts the
   * handshake. No book is read between the last poll and the first snapshot, so all books become
   * invalid.
   */
  async #retryKey(): Promise<void> {
    if (!(await this.#handshakes?.isAccepted(this.#stopping.signal))) return;
    const polling = this.#polling;
    await polling?.stop();
    this.#polling = null;
    this.updateSubscriptions();
    for (const connection of this.#connections)
      connection.stream.onClose('feed.disconnected', this.#options.runtime.marketNow());
  }

  #createPolling(): VenueAPolling {
    const polling = new VenueAPolling(this.#options.store, this.#options.rest, this.#options.runtime);
    this.#polling = polling;
    if (!this.#status.isKnown) polling.guard.suspend('venue.paused', this.#options.runtime.marketNow(), true);
    this.#applyStatus();
    return polling;
  }

  async #runTimer(): Promise<void> {
    const { runtime } = this.#options;
    while (!this.#stopping.signal.aborted) {
      await runtime.sleep(1_000, this.#stopping.signal);
      const now = runtime.now();
      if (this.#polling && this.#options.socket?.key.isUsable) await this.#retryKey();
      for (const connection of this.#connections) connection.stream.onTimer(now);
      this.#scheduler.run(this.#connections, AUDITS_PER_SECOND, now);
    }
  }

  #createAudit(stream: VenueAStream, liveSocket: ReconnectingSocket): Audit {
    const { runtime, store } = this.#options;
    return new Audit({
      connection: {
        contracts: stream.contracts,
        lastChangeAt: (ticker) => stream.lastChangeAt(ticker),
        guard: stream.guard,
        resubscribe: (tickers) => stream.resubscribe(tickers),
        reconnect: (reason: InvalidReason) => {
          // Messages may be missing since the last one.
          stream.onClose(reason, stream.lastMessageAt ?? runtime.marketNow());
          liveSocket.reconnect();
        },
      },
      store,
      runtime,
      fetchBooks: async (tickers) =>
        new Map([...(await this.#fetchBooks(tickers))].map(([ticker, book]): [string, RestBook] => [ticker, { book }])),
      quietMs: this.#options.quietMs ?? QUIET_MS,
      maxContracts: () => this.#options.rest.maxAuditBooks,
    });
  }

  async #fetchBooks(tickers: readonly string[]): Promise<Map<string, Book>> {
    const books = new Map<string, Book>();
    const raws = await this.#options.rest.books(tickers);
    countBooks(this.#options.runtime.unknown, raws);
    for (const raw of raws) {
      const result = parseRestBook(raw);
      if (result.ok) books.set(result.ticker, result.book);
    }
    return books;
  }

  async #checkPriceScale(stream: VenueAStream, tickers: readonly string[]): Promise<void> {
    const { runtime, rest } = this.#options;
    let books: Map<string, Book> | null = null;
    try {
      books = await this.#fetchBooks(tickers.slice(0, rest.maxBooks));
    } catch (error) {
      runtime.log(`venue_a: the price scale check could not fetch books: ${String(error)}`);
    }
    stream.onScaleBooks(books, runtime.marketNow());
  }

  /**
   * While trading is paused (every Thursday night) the books stay unchanged and look valid. A
   * failed poll changes nothing.
   */
  async #pollStatus(): Promise<void> {
    const { runtime, rest } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        const status = await rest.exchangeStatus();
        countExchangeStatus(runtime.unknown, status);
        if (this.#status.read(status)) {
          runtime.log(`venue_a: ${this.#status.describe(this.#indexes()) ?? 'trading is active'}`);
          this.#applyStatus();
        }
      } catch (error) {
        runtime.log(`venue_a: the exchange status could not be fetched: ${String(error)}`);
      }
      await runtime.sleep(this.#options.statusMs ?? STATUS_MS, this.#stopping.signal);
    }
  }

  /** Suspends the books of each exchange index that does not trade and resumes the others. */
  #applyStatus(): void {
    if (!this.#status.isKnown) return;
    const at = this.#options.runtime.marketNow();
    const isHeld = (ticker: string): boolean => !this.#status.isTrading(this.#indexOf(ticker));
    const hold = [...this.#options.store.contracts()].some(isHeld);
    if (hold) this.#polling?.guard.suspendSome('venue.paused', at, isHeld);
    else this.#polling?.guard.resume('venue.paused', at);
    for (const { stream } of this.#connections) {
      if (hold) stream.suspendSome('venue.paused', at, isHeld);
      else stream.resume('venue.paused', at);
    }
  }

  #indexOf(ticker: string): number | null {
    return this.#options.indexOf?.(ticker) ?? null;
  }

  /** The exchange indexes of the books that the feed reads. */
  #indexes(): Set<number | null> {
    return new Set([...this.#options.store.contracts()].map((ticker) => this.#indexOf(ticker)));
  }
}
