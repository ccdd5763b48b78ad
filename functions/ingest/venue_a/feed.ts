import { LiveSocket, type SocketMaker } from '../../_shared/socket.ts';
import type { Book } from '../books/book.ts';
import type { Doubt, Shelf } from '../books/book_store.ts';
import { Audit, AuditTurns, QUIET_MS, type RestBook } from '../feeds/audit.ts';
import { type BookFeed, chunks, distribute, type FeedSurroundings, latest } from '../feeds/feed.ts';
import { VenueAPolling } from './polling.ts';
import type { VenueARest } from './rest.ts';
import { readRestBook } from './rest_book.ts';
import type { Signer } from './sign.ts';
import { VenueAStream } from './stream.ts';

export type VenueAFeedOptions = {
  shelf: Shelf;
  rest: VenueARest;
  around: FeedSurroundings;
  /** Without a key the venue's socket is closed to us, and books are polled. */
  socket: { url: string; make: SocketMaker; sign: Signer } | null;
  /** Silence of a ticker after which its book is compared with REST. */
  quietMs?: number;
  refusedMs?: number;
  /** How often the venue is asked whether anything trades. */
  statusMs?: number;
};

/** One sequence covers all tickers of a socket, so a gap costs no more than this many snapshots. */
const MOST_ON_SOCKET = 500;
const FEWEST_ON_SOCKET = 25;
/**
 * Comparisons with REST a second, 100 tickers each. A Basic key has 20 reads a second and `rest.ts` keeps to them (venues.md A7); 4 are a
 * fifth of that, leave the listings their part, and go round 4,000 quiet tickers in the 10 s after which one of them is compared.
 */
const AUDITS_A_SECOND = 4;
const STATUS_MS = 15_000;
/** A key that was refused is tried again after this: it may have been the venue's own trouble. */
const REFUSED_MS = 300_000;

type Line = { stream: VenueAStream; socket: LiveSocket; audit: Audit };

/** Books of venue_a: over WebSockets with a key, by polling without one or when the key is refused. */
export class VenueAFeed implements BookFeed {
  private readonly options: VenueAFeedOptions;
  private readonly lines: Line[] = [];
  private readonly ending = new AbortController();
  private polling: VenueAPolling | null = null;
  private perSocket = MOST_ON_SOCKET;
  /** Real time until which a refused key rests. */
  private refusedUntil = 0;
  private ticking: Promise<void> = Promise.resolve();
  private asking: Promise<void> = Promise.resolve();
  /** The venue says that nothing trades. */
  private paused = false;
  private readonly turns = new AuditTurns();
  private readonly closing: Promise<void>[] = [];

  constructor(options: VenueAFeedOptions) {
    this.options = options;
    if (!options.socket) this.poll();
  }

  get lastNewsAt(): number | null {
    return latest([...this.lines.map((line) => line.stream.lastNewsAt), this.polling?.lastNewsAt ?? null]);
  }

  get lastAliveAt(): number | null {
    return latest([...this.lines.map((line) => line.socket.lastAliveAt), this.polling?.lastNewsAt ?? null]);
  }

  get detail(): string {
    return `${this.polling ? 'polling' : 'websocket'}${this.paused ? ', venue paused' : ''}`;
  }

  start(): void {
    this.ticking = this.tick();
    this.asking = this.askStatus();
    this.polling?.start();
    this.follow();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all([
      this.ticking,
      this.asking,
      this.polling?.stop(),
      ...this.lines.map((line) => line.socket.stop()),
      ...this.closing,
    ]);
  }

  follow(): void {
    if (this.polling || this.ending.signal.aborted) return;
    const now = this.options.around.now();
    const wanted = new Set(this.options.shelf.contracts());
    const streams = this.lines.map((line) => line.stream);
    const fresh = distribute(streams, wanted, this.perSocket, now);
    for (const part of chunks(fresh, this.perSocket)) this.connect(part);
  }

  private connect(tickers: readonly string[]): void {
    const { around, shelf, socket } = this.options;
    if (!socket) return;
    const path = new URL(socket.url).pathname;
    const stream: VenueAStream = new VenueAStream(shelf, {
      send: (command) => live.send(command),
      aside: around.aside,
      restart: (why) => {
        around.log(`venue_a: new connection: ${why}`);
        live.restart();
      },
      refused: () => this.refused(),
      overflow: () => this.split(line),
      segment: () => around.segment(),
      askScale: (asked) => void this.showScale(stream, asked),
      scaleFound: (verdict, books) => {
        if (verdict === 'other')
          around.log(`venue_a writes the NO side in other prices than asked for (${books} books compared)`);
      },
    });
    const live: LiveSocket = new LiveSocket({
      url: socket.url,
      make: socket.make,
      around,
      headers: () => socket.sign('GET', path),
      on: {
        open: () => {
          stream.opened(around.now());
          line.audit.opened(around.now());
        },
        message: (text, at) => stream.receive(text, at, around.now()),
        down: (why, lastAlive) => stream.closed(why, lastAlive ?? around.shown()),
        ping: () => stream.ping(),
      },
    });
    const line: Line = { stream, socket: live, audit: this.auditOf(stream, live) };
    if (this.paused) stream.trust.hold('venue.paused', around.shown());
    stream.want(tickers, around.now());
    this.lines.push(line);
    live.start();
  }

  /** Error 25: the connection carries too much, so its tickers go to two of half the size. */
  private split(line: Line): void {
    const at = this.lines.indexOf(line);
    if (at < 0) return;
    this.lines.splice(at, 1);
    line.stream.closed('book.gap', this.options.around.shown());
    this.closing.push(line.socket.stop());
    this.perSocket = Math.max(FEWEST_ON_SOCKET, Math.ceil(Math.min(this.perSocket, line.stream.contracts.size) / 2));
    this.options.around.log(`venue_a: buffer overflow, from now on ${this.perSocket} markets a connection`);
    this.follow();
  }

  /** The key is not accepted: say so and read as one reads without a key. */
  private refused(): void {
    if (this.polling) return;
    this.refusedUntil = this.options.around.now() + (this.options.refusedMs ?? REFUSED_MS);
    this.options.around.log('venue_a refuses the key (error 9): books are polled over REST instead');
    for (const line of this.lines.splice(0)) {
      line.stream.closed('feed.disconnected', this.options.around.shown());
      this.closing.push(line.socket.stop());
    }
    this.poll().start();
  }

  /** Back to the socket. Between the last poll and the first snapshot nobody reads these books, so nobody may believe them. */
  private async trySocket(): Promise<void> {
    const polling = this.polling;
    await polling?.stop();
    this.polling = null;
    this.follow();
    for (const line of this.lines) line.stream.closed('feed.disconnected', this.options.around.shown());
  }

  private poll(): VenueAPolling {
    const polling = new VenueAPolling(this.options.shelf, this.options.rest, this.options.around);
    if (this.paused) polling.trust.hold('venue.paused', this.options.around.shown());
    this.polling = polling;
    return polling;
  }

  private async tick(): Promise<void> {
    const { around } = this.options;
    while (!this.ending.signal.aborted) {
      await around.sleep(1_000, this.ending.signal);
      const now = around.now();
      if (this.polling && this.options.socket && now >= this.refusedUntil) await this.trySocket();
      for (const line of this.lines) line.stream.tick(now);
      this.turns.run(this.lines, AUDITS_A_SECOND, now);
    }
  }

  private auditOf(stream: VenueAStream, live: LiveSocket): Audit {
    const { around, shelf } = this.options;
    return new Audit({
      line: {
        contracts: stream.contracts,
        heardAt: (ticker) => stream.heardAt(ticker),
        trust: stream.trust,
        renew: (tickers) => stream.renew(tickers),
        abandon: (why: Doubt) => {
          // Since its last word nobody knows what it left out.
          stream.closed(why, stream.lastNewsAt ?? around.shown());
          live.restart();
        },
      },
      shelf,
      around,
      read: async (tickers) =>
        new Map([...(await this.restBooks(tickers))].map(([ticker, book]): [string, RestBook] => [ticker, { book }])),
      quietMs: this.options.quietMs ?? QUIET_MS,
    });
  }

  private async restBooks(tickers: readonly string[]): Promise<Map<string, Book>> {
    const books = new Map<string, Book>();
    for (const raw of await this.options.rest.books(tickers)) {
      const reading = readRestBook(raw);
      if (reading.ok) books.set(reading.ticker, reading.book);
    }
    return books;
  }

  private async showScale(stream: VenueAStream, tickers: readonly string[]): Promise<void> {
    const { around } = this.options;
    let books: Map<string, Book> | null = null;
    try {
      books = await this.restBooks(tickers);
    } catch (error) {
      around.log(`venue_a: no books to tell the scale by: ${String(error)}`);
    }
    stream.scaleShown(books, around.shown());
  }

  /** Books rest while trading is paused (every Thursday night) and look like any others. An answer that does not come says nothing. */
  private async askStatus(): Promise<void> {
    const { around, rest } = this.options;
    while (!this.ending.signal.aborted) {
      try {
        const trading = await rest.trading();
        if (trading !== null) this.setPaused(!trading);
      } catch (error) {
        around.log(`venue_a: no status: ${String(error)}`);
      }
      await around.sleep(this.options.statusMs ?? STATUS_MS, this.ending.signal);
    }
  }

  private setPaused(paused: boolean): void {
    if (paused === this.paused) return;
    this.paused = paused;
    const { around } = this.options;
    const at = around.shown();
    around.log(`venue_a ${paused ? 'has paused trading' : 'trades again'}`);
    if (paused) this.polling?.trust.hold('venue.paused', at);
    else this.polling?.trust.release('venue.paused', at);
    for (const { stream } of this.lines) {
      if (paused) stream.trust.hold('venue.paused', at);
      else stream.resume('venue.paused', at);
    }
  }
}
