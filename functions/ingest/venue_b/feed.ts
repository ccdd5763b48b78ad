import { ReconnectingSocket, type SocketFactory } from '../../_shared/reconnecting_socket.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { DecimalParseError } from '../decimal.ts';
import { Audit, AuditScheduler, QUIET_MS, type RestBook } from '../feeds/audit.ts';
import { assignContracts, type BookFeed, chunks, type FeedRuntime, latestOf } from '../feeds/feed.ts';
import { overLimitRow, parseRecord } from '../feeds/parse.ts';
import { bookOf } from './books.ts';
import { countBooks, messageInspector } from './known_fields.ts';
import { PostOnlyTimer } from './post_only_timer.ts';
import { MAX_TOKENS, type VenueBRest } from './rest.ts';
import { restBook } from './schemas.ts';
import { Standstill } from './standstill.ts';
import { VenueBStream } from './stream.ts';

export type VenueBFeedOptions = {
  store: BookStore;
  rest: VenueBRest;
  runtime: FeedRuntime;
  socket: { url: string; make: SocketFactory };
  /** A token without changes for this long is compared with REST. */
  quietMs?: number;
  /** How often a busy token is compared with REST. */
  busyMs?: number;
  /**
   * How long the venue accepts resting orders only after a restart of its engine, in market time.
   */
  postOnlyMs?: number;
  /** How long all sockets may send no change before all books are invalid. */
  silenceMs?: number;
};

const MAX_TOKENS_PER_SOCKET = 400;
/**
 * Comparisons with REST per second, 100 tokens each. /books allows 500 requests in 10 s per address
 * (venues.md B5), and `rest.ts` keeps to half of that. 10 a second are a fifth of the limit and
 * cover 10,000 quiet tokens in the 10 s after which a quiet token is due.
 */
const AUDITS_PER_SECOND = 10;
const TIMER_MS = 200;
/**
 * Silent sockets are opened again this often. Each time interrupts every book, and a silent venue
 * needs none.
 */
const REOPEN_SILENT_MS = 60_000;

type Connection = { stream: VenueBStream; socket: ReconnectingSocket; audit: Audit };

/** Reads the books of venue_b over WebSockets and repairs them over REST. */
export class VenueBFeed implements BookFeed {
  readonly #options: VenueBFeedOptions;
  readonly #connections: Connection[] = [];
  readonly #stopping = new AbortController();
  #timer: Promise<void> = Promise.resolve();
  readonly #postOnlyTimer: PostOnlyTimer;
  #isPostOnly = false;
  #isProbing = false;
  readonly #scheduler = new AuditScheduler();
  readonly #standstill: Standstill;
  #reopenedAt = Number.NEGATIVE_INFINITY;

  constructor(options: VenueBFeedOptions) {
    this.#options = options;
    this.#postOnlyTimer = new PostOnlyTimer(options.postOnlyMs);
    this.#standstill = new Standstill(options.silenceMs);
    options.rest.onClobStatus((status) => {
      this.#postOnlyTimer.onStatus(status, options.runtime.marketNow());
      this.#updatePostOnly();
    });
  }

  get detail(): string {
    const { reason } = this.#standstill;
    const stopped = reason === 'venue.silent' ? ', all connections are silent' : ', all connections are lost';
    return `websocket${this.#isPostOnly ? ', venue takes no orders' : ''}${reason === null ? '' : stopped}`;
  }

  get lastMessageAt(): number | null {
    return latestOf(this.#connections.map((connection) => connection.stream.lastMessageAt));
  }

  get lastAliveAt(): number | null {
    return latestOf(this.#connections.map((connection) => connection.socket.lastAliveAt));
  }

  start(): void {
    this.#timer = this.#runTimer();
    this.updateSubscriptions();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#timer, ...this.#connections.map((connection) => connection.socket.stop())]);
  }

  updateSubscriptions(): void {
    if (this.#stopping.signal.aborted) return;
    const now = this.#options.runtime.now();
    const wanted = new Set(this.#options.store.contracts());
    const streams = this.#connections.map((connection) => connection.stream);
    const unassigned = assignContracts(streams, wanted, MAX_TOKENS_PER_SOCKET, now);
    for (const part of chunks(unassigned, MAX_TOKENS_PER_SOCKET)) this.#connect(part);
  }

  #connect(tokens: readonly string[]): void {
    const { runtime, store, socket } = this.#options;
    const stream: VenueBStream = new VenueBStream(store, {
      send: (command) => liveSocket.send(command),
      reject: runtime.reject,
      inspect: messageInspector(runtime.unknown),
      onChange: (now, at) => this.#standstill.onChange(now, at),
      reconnect: (reason) => {
        runtime.log(`venue_b: the feed reconnects: ${reason}`);
        liveSocket.reconnect();
      },
      segment: () => runtime.segment(),
    });
    const liveSocket: ReconnectingSocket = new ReconnectingSocket({
      url: socket.url,
      make: socket.make,
      runtime: runtime,
      on: {
        open: () => {
          stream.onOpen(runtime.now());
          connection.audit.onOpen(runtime.now());
          this.#checkStandstill(runtime.now());
        },
        message: (text, at) => stream.receive(text, at, runtime.now()),
        overLimit: (fault) => runtime.reject(overLimitRow('venue_b', fault)),
        down: (reason, lastAlive) => {
          stream.onClose(reason, lastAlive ?? runtime.marketNow());
          // A socket may be open again before the next tick of the timer.
          this.#checkStandstill(runtime.now());
        },
        ping: () => 'PING',
      },
    });
    const connection: Connection = { stream, socket: liveSocket, audit: this.#createAudit(stream, liveSocket) };
    if (this.#isPostOnly) stream.guard.suspend('venue.post_only', runtime.marketNow());
    stream.subscribe(tokens, runtime.now());
    if (this.#standstill.reason !== null) stream.unconfirmed.begin(this.#standstill.reason, runtime.marketNow());
    this.#connections.push(connection);
    liveSocket.start();
  }

  async #runTimer(): Promise<void> {
    const { runtime } = this.#options;
    let checkAt = 0;
    while (!this.#stopping.signal.aborted) {
      await runtime.sleep(TIMER_MS, this.#stopping.signal);
      const now = runtime.now();
      this.#updatePostOnly();
      this.#checkStandstill(now);
      for (const connection of this.#connections) {
        const due = connection.stream.due(now);
        for (const part of chunks(due, MAX_TOKENS)) void this.#restoreBooks(connection, part);
      }
      if (now < checkAt) continue;
      checkAt = now + 1_000;
      // A connection may be down or silent because the engine restarts. Only REST shows that
      // (status 425).
      const isStopped = this.#postOnlyTimer.isDown || this.#standstill.reason !== null;
      if (isStopped || this.#connections.some((connection) => !connection.socket.isOpen)) void this.#probeRest();
      this.#scheduler.run(this.#connections, AUDITS_PER_SECOND, now);
    }
  }

  async #probeRest(): Promise<void> {
    const [token] = this.#options.store.contracts();
    if (this.#isProbing || token === undefined) return;
    this.#isProbing = true;
    try {
      await this.#options.rest.books([token]);
    } catch {
      // `onClobStatus` already has the status. A request without a response shows nothing.
    } finally {
      this.#isProbing = false;
    }
  }

  /**
   * Invalidates all books while all connections are lost or silent. After that each book is read
   * over REST: that request also gets the status 425 of an engine that restarts.
   */
  #checkStandstill(now: number): void {
    const { runtime } = this.#options;
    const standstill = this.#standstill;
    const change = standstill.check(now, this.#connections.filter(({ socket }) => socket.isOpen).length);
    const { reason } = standstill;
    if (change === 'began' && reason !== null) {
      runtime.log(`venue_b: ${reason}: all books are invalid until they are read again`);
      const at = (reason === 'venue.silent' ? standstill.lastChangeAt : null) ?? runtime.marketNow();
      for (const { stream } of this.#connections) stream.unconfirmed.begin(reason, at);
    } else if (change === 'over') {
      runtime.log('venue_b: the venue sends again, all books are read over REST');
      for (const { stream } of this.#connections) stream.unconfirmed.readFrom(now);
    }
    if (reason !== 'venue.silent' || now - this.#reopenedAt < REOPEN_SILENT_MS) return;
    this.#reopenedAt = now;
    for (const { socket } of this.#connections) socket.reconnect();
  }

  /**
   * Suspends all books while the engine restarts and for two more minutes, because no order can be
   * taken.
   */
  #updatePostOnly(): void {
    const at = this.#options.runtime.marketNow();
    const isPostOnly = this.#postOnlyTimer.isPostOnly(at);
    if (isPostOnly === this.#isPostOnly) return;
    this.#isPostOnly = isPostOnly;
    this.#options.runtime.log(
      `venue_b: ${isPostOnly ? 'the engine restarts, no order can be taken' : 'orders can be taken again'}`,
    );
    for (const { stream } of this.#connections) {
      if (isPostOnly) stream.guard.suspend('venue.post_only', at);
      else stream.resume('venue.post_only', at);
    }
  }

  async #restoreBooks(connection: Connection, tokens: readonly string[]): Promise<void> {
    const { runtime, rest } = this.#options;
    try {
      const books = await rest.books(tokens);
      const at = runtime.marketNow();
      const missing = new Set(tokens);
      this.#options.store.batch(() => {
        for (const raw of books) {
          const token = connection.stream.onRestBook(raw, at);
          if (token !== null) missing.delete(token);
        }
        for (const token of missing) connection.stream.onMissingBook(token, at);
        connection.stream.releaseConfirmed(at);
      });
    } catch (error) {
      runtime.log(`venue_b: ${tokens.length} books could not be read again: ${String(error)}`);
    }
  }

  #createAudit(stream: VenueBStream, liveSocket: ReconnectingSocket): Audit {
    const { runtime, store } = this.#options;
    return new Audit({
      connection: {
        contracts: stream.contracts,
        lastChangeAt: (token) => stream.lastChangeAt(token),
        guard: stream.guard,
        hashOf: (token) => stream.hashOf(token),
        onMessageLost: (token) => stream.invalidate(token, 'book.gap', store.get(token)?.readAt ?? runtime.marketNow()),
        resubscribe: (tokens) => stream.resubscribe(tokens),
        reconnect: (reason: InvalidReason) => {
          stream.onClose(reason, stream.lastMessageAt ?? runtime.marketNow());
          liveSocket.reconnect();
        },
      },
      store,
      runtime,
      fetchBooks: (tokens) => this.#fetchBooks(tokens),
      quietMs: this.#options.quietMs ?? QUIET_MS,
      ...(this.#options.busyMs === undefined ? {} : { busyMs: this.#options.busyMs }),
    });
  }

  async #fetchBooks(tokens: readonly string[]): Promise<Map<string, RestBook>> {
    const books = new Map<string, RestBook>();
    const raws = await this.#options.rest.books(tokens);
    countBooks(this.#options.runtime.unknown, raws);
    for (const raw of raws) {
      const result = parseRecord(restBook, raw, 'book');
      if (!result.ok) continue;
      try {
        const { asset_id, bids, asks, hash } = result.value;
        books.set(asset_id, { book: bookOf(bids, asks), hash });
      } catch (error) {
        if (!(error instanceof DecimalParseError)) throw error;
      }
    }
    return books;
  }
}
