import { ReconnectingSocket, type SocketFactory } from '../../_shared/reconnecting_socket.ts';
import type { Book } from '../books/book.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { Audit, AuditScheduler, QUIET_MS, type RestBook } from '../feeds/audit.ts';
import { assignContracts, type BookFeed, chunks, type FeedRuntime, latestOf } from '../feeds/feed.ts';
import { messageInspector } from './known_fields.ts';
import { VenueAPolling } from './polling.ts';
import type { VenueARest } from './rest.ts';
import { parseRestBook } from './rest_book.ts';
import type { Signer } from './sign.ts';
import { VenueAStream } from './stream.ts';

export type VenueAFeedOptions = {
  store: BookStore;
  rest: VenueARest;
  runtime: FeedRuntime;
  /** Null without a key. The venue's socket requires one, so books are then polled. */
  socket: { url: string; make: SocketFactory; sign: Signer } | null;
  /** A ticker without changes for this long is compared with REST. */
  quietMs?: number;
  keyRetryMs?: number;
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
const STATUS_MS = 15_000;
/** A rejected key is tried again after this time: the cause may be at the venue. */
const KEY_RETRY_MS = 300_000;

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
  /** Real time from which a rejected key is tried again. */
  #keyRetryAt = 0;
  #timer: Promise<void> = Promise.resolve();
  #statusPoll: Promise<void> = Promise.resolve();
  /** Whether the venue reports that trading is paused. */
  #isPaused = false;
  readonly #scheduler = new AuditScheduler();
  readonly #closing: Promise<void>[] = [];

  constructor(options: VenueAFeedOptions) {
    this.#options = options;
    if (!options.socket) this.#createPolling();
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
    return `${this.#polling ? 'polling' : 'websocket'}${this.#isPaused ? ', venue paused' : ''}`;
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
    if (this.#polling || this.#stopping.signal.aborted) return;
    const now = this.#options.runtime.now();
    const wanted = new Set(this.#options.store.contracts());
    const streams = this.#connections.map((connection) => connection.stream);
    const unassigned = assignContracts(streams, wanted, this.#maxPerSocket, now);
    for (const part of chunks(unassigned, this.#maxPerSocket)) this.#connect(part);
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
      onKeyRejected: () => this.#onKeyRejected(),
      onOverflow: () => this.#split(connection),
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
      headers: () => socket.sign('GET', path),
      on: {
        open: () => {
          stream.onOpen(runtime.now());
          connection.audit.onOpen(runtime.now());
        },
        message: (text, at) => stream.receive(text, at, runtime.now()),
        down: (reason, lastAlive) => stream.onClose(reason, lastAlive ?? runtime.marketNow()),
        ping: () => stream.ping(),
      },
    });
    const connection: Connection = { stream, socket: liveSocket, audit: this.#createAudit(stream, liveSocket) };
    if (this.#isPaused) stream.guard.suspend('venue.paused', runtime.marketNow());
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
    this.#maxPerSocket = Math.max(
      MIN_TICKERS_PER_SOCKET,
      Math.ceil(Math.min(this.#maxPerSocket, connection.stream.contracts.size) / 2),
    );
    this.#options.runtime.log(
      `venue_a: buffer overflow; a connection now carries at most ${this.#maxPerSocket} markets`,
    );
    this.updateSubscriptions();
  }

  /** The venue rejects the key. The feed logs it and polls, as it does without a key. */
  #onKeyRejected(): void {
    if (this.#polling) return;
    this.#keyRetryAt = this.#options.runtime.now() + (this.#options.keyRetryMs ?? KEY_RETRY_MS);
    this.#options.runtime.log('venue_a: the venue rejects the key (error 9); the feed polls books over REST');
    for (const connection of this.#connections.splice(0)) {
      connection.stream.onClose('feed.disconnected', this.#options.runtime.marketNow());
      this.#closing.push(connection.socket.stop());
    }
    this.#createPolling().start();
  }

  /**
   * Returns to the socket. No book is read between the last poll and the first snapshot, so all
   * books become invalid.
   */
  async #retrySocket(): Promise<void> {
    const polling = this.#polling;
    await polling?.stop();
    this.#polling = null;
    this.updateSubscriptions();
    for (const connection of this.#connections)
      connection.stream.onClose('feed.disconnected', this.#options.runtime.marketNow());
  }

  #createPolling(): VenueAPolling {
    const polling = new VenueAPolling(this.#options.store, this.#options.rest, this.#options.runtime);
    if (this.#isPaused) polling.guard.suspend('venue.paused', this.#options.runtime.marketNow());
    this.#polling = polling;
    return polling;
  }

  async #runTimer(): Promise<void> {
    const { runtime } = this.#options;
    while (!this.#stopping.signal.aborted) {
      await runtime.sleep(1_000, this.#stopping.signal);
      const now = runtime.now();
      if (this.#polling && this.#options.socket && now >= this.#keyRetryAt) await this.#retrySocket();
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
    });
  }

  async #fetchBooks(tickers: readonly string[]): Promise<Map<string, Book>> {
    const books = new Map<string, Book>();
    for (const raw of await this.#options.rest.books(tickers)) {
      const result = parseRestBook(raw);
      if (result.ok) books.set(result.ticker, result.book);
    }
    return books;
  }

  async #checkPriceScale(stream: VenueAStream, tickers: readonly string[]): Promise<void> {
    const { runtime } = this.#options;
    let books: Map<string, Book> | null = null;
    try {
      books = await this.#fetchBooks(tickers);
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
        const trading = await rest.isTrading();
        if (trading !== null) this.#setPaused(!trading);
      } catch (error) {
        runtime.log(`venue_a: the exchange status could not be fetched: ${String(error)}`);
      }
      await runtime.sleep(this.#options.statusMs ?? STATUS_MS, this.#stopping.signal);
    }
  }

  #setPaused(paused: boolean): void {
    if (paused === this.#isPaused) return;
    this.#isPaused = paused;
    const { runtime } = this.#options;
    const at = runtime.marketNow();
    runtime.log(`venue_a: trading ${paused ? 'is paused' : 'has resumed'}`);
    if (paused) this.#polling?.guard.suspend('venue.paused', at);
    else this.#polling?.guard.resume('venue.paused', at);
    for (const { stream } of this.#connections) {
      if (paused) stream.guard.suspend('venue.paused', at);
      else stream.resume('venue.paused', at);
    }
  }
}
