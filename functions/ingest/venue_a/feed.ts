import { ReconnectingSocket, type SocketFactory } from '../../_shared/reconnecting_socket.ts';
import type { Book } from '../books/book.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { Audit, AuditScheduler, QUIET_MS, type RestBook } from '../feeds/audit.ts';
import { assignContracts, type BookFeed, chunks, type FeedRuntime, latestOf } from '../feeds/feed.ts';
import { VenueAPolling } from './polling.ts';
import type { VenueARest } from './rest.ts';
import { parseRestBook } from './rest_book.ts';
import type { Signer } from './sign.ts';
import { VenueAStream } from './stream.ts';

export type VenueAFeedOptions = {
  store: BookStore;
  rest: VenueARest;
  runtime: FeedRuntime;
  /** Without a key the venue's socket is closed to us, and books are polled. */
  socket: { url: string; make: SocketFactory; sign: Signer } | null;
  /** Silence of a ticker after which its book is compared with REST. */
  quietMs?: number;
  keyRetryMs?: number;
  /** How often the venue is asked whether anything trades. */
  statusMs?: number;
};

/** One sequence covers all tickers of a socket, so a gap costs no more than this many snapshots. */
const MAX_TICKERS_PER_SOCKET = 500;
const MIN_TICKERS_PER_SOCKET = 25;
/**
 * Comparisons with REST a second, 100 tickers each. A Basic key has 20 reads a second and `rest.ts` keeps to them (venues.md A7); 4 are a
 * fifth of that, leave the listings their part, and go round 4,000 quiet tickers in the 10 s after which one of them is compared.
 */
const AUDITS_PER_SECOND = 4;
const STATUS_MS = 15_000;
/** A key that was refused is tried again after this: it may have been the venue's own trouble. */
const KEY_RETRY_MS = 300_000;

type Connection = { stream: VenueAStream; socket: ReconnectingSocket; audit: Audit };

/** Books of venue_a: over WebSockets with a key, by polling without one or when the key is refused. */
export class VenueAFeed implements BookFeed {
  readonly #options: VenueAFeedOptions;
  readonly #connections: Connection[] = [];
  readonly #abort = new AbortController();
  #polling: VenueAPolling | null = null;
  #maxPerSocket = MAX_TICKERS_PER_SOCKET;
  /** Real time until which a refused key rests. */
  #keyRetryAt = 0;
  #timer: Promise<void> = Promise.resolve();
  #statusPoll: Promise<void> = Promise.resolve();
  /** The venue says that nothing trades. */
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
    this.#abort.abort();
    await Promise.all([
      this.#timer,
      this.#statusPoll,
      this.#polling?.stop(),
      ...this.#connections.map((connection) => connection.socket.stop()),
      ...this.#closing,
    ]);
  }

  updateSubscriptions(): void {
    if (this.#polling || this.#abort.signal.aborted) return;
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
      reconnect: (reason) => {
        runtime.log(`venue_a: new connection: ${reason}`);
        liveSocket.reconnect();
      },
      onKeyRejected: () => this.#onKeyRejected(),
      onOverflow: () => this.#split(connection),
      segment: () => runtime.segment(),
      requestScaleBooks: (asked) => void this.#checkPriceScale(stream, asked),
      onScaleFound: (verdict, books) => {
        if (verdict === 'other')
          runtime.log(`venue_a writes the NO side in other prices than asked for (${books} books compared)`);
      },
    });
    const liveSocket: ReconnectingSocket = new ReconnectingSocket({
      url: socket.url,
      make: socket.make,
      runtime: runtime,
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

  /** Error 25: the connection carries too much, so its tickers go to two of half the size. */
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
    this.#options.runtime.log(`venue_a: buffer overflow, from now on ${this.#maxPerSocket} markets a connection`);
    this.updateSubscriptions();
  }

  /** The key is not accepted: say so and read as one reads without a key. */
  #onKeyRejected(): void {
    if (this.#polling) return;
    this.#keyRetryAt = this.#options.runtime.now() + (this.#options.keyRetryMs ?? KEY_RETRY_MS);
    this.#options.runtime.log('venue_a refuses the key (error 9): books are polled over REST instead');
    for (const connection of this.#connections.splice(0)) {
      connection.stream.onClose('feed.disconnected', this.#options.runtime.marketNow());
      this.#closing.push(connection.socket.stop());
    }
    this.#createPolling().start();
  }

  /** Back to the socket. Between the last poll and the first snapshot nobody reads these books, so nobody may believe them. */
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
    while (!this.#abort.signal.aborted) {
      await runtime.sleep(1_000, this.#abort.signal);
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
          // Since its last word nobody knows what it left out.
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
      const reading = parseRestBook(raw);
      if (reading.ok) books.set(reading.ticker, reading.book);
    }
    return books;
  }

  async #checkPriceScale(stream: VenueAStream, tickers: readonly string[]): Promise<void> {
    const { runtime } = this.#options;
    let books: Map<string, Book> | null = null;
    try {
      books = await this.#fetchBooks(tickers);
    } catch (error) {
      runtime.log(`venue_a: no books to tell the scale by: ${String(error)}`);
    }
    stream.onScaleBooks(books, runtime.marketNow());
  }

  /** Books rest while trading is paused (every Thursday night) and look like any others. An answer that does not come says nothing. */
  async #pollStatus(): Promise<void> {
    const { runtime, rest } = this.#options;
    while (!this.#abort.signal.aborted) {
      try {
        const trading = await rest.isTrading();
        if (trading !== null) this.#setPaused(!trading);
      } catch (error) {
        runtime.log(`venue_a: no status: ${String(error)}`);
      }
      await runtime.sleep(this.#options.statusMs ?? STATUS_MS, this.#abort.signal);
    }
  }

  #setPaused(paused: boolean): void {
    if (paused === this.#isPaused) return;
    this.#isPaused = paused;
    const { runtime } = this.#options;
    const at = runtime.marketNow();
    runtime.log(`venue_a ${paused ? 'has paused trading' : 'trades again'}`);
    if (paused) this.#polling?.guard.suspend('venue.paused', at);
    else this.#polling?.guard.resume('venue.paused', at);
    for (const { stream } of this.#connections) {
      if (paused) stream.guard.suspend('venue.paused', at);
      else stream.resume('venue.paused', at);
    }
  }
}
