import type { Shelf } from '../engine/shelf.ts';
import { type BookFeed, chunks, distribute, type FeedSurroundings, latest } from '../wire/feed.ts';
import { LiveSocket, type SocketMaker } from '../wire/socket.ts';
import { VenueAPolling } from './polling.ts';
import { MOST_TICKERS, type VenueARest } from './rest.ts';
import { readRestBook } from './rest_book.ts';
import type { Signer } from './sign.ts';
import { VenueAStream } from './stream.ts';

export type VenueAFeedOptions = {
  shelf: Shelf;
  rest: VenueARest;
  around: FeedSurroundings;
  /** Without a key the venue's socket is closed to us, and books are polled. */
  socket: { url: string; make: SocketMaker; sign: Signer } | null;
  /** Silence after which a socket's books are compared with REST. */
  quietMs?: number;
  refusedMs?: number;
};

/** One sequence covers all tickers of a socket, so a gap costs no more than this many snapshots. */
const MOST_ON_SOCKET = 500;
const FEWEST_ON_SOCKET = 25;
const QUIET_MS = 30_000;
/** A key that was refused is tried again after this: it may have been the venue's own trouble. */
const REFUSED_MS = 300_000;

type Line = { stream: VenueAStream; socket: LiveSocket; checkedAt: number; checking: boolean };

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
    return this.polling ? 'polling' : 'websocket';
  }

  start(): void {
    this.ticking = this.tick();
    this.polling?.start();
    this.follow();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all([
      this.ticking,
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
    });
    const live: LiveSocket = new LiveSocket({
      url: socket.url,
      make: socket.make,
      around,
      headers: () => socket.sign('GET', path),
      on: {
        open: () => stream.opened(around.now()),
        message: (text, at) => stream.receive(text, at, around.now()),
        down: (why, lastAlive) => stream.closed(why, lastAlive ?? around.shown()),
        ping: () => stream.ping(),
      },
    });
    const line: Line = { stream, socket: live, checkedAt: around.now(), checking: false };
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
    this.polling = polling;
    return polling;
  }

  private async tick(): Promise<void> {
    const { around } = this.options;
    const quiet = this.options.quietMs ?? QUIET_MS;
    while (!this.ending.signal.aborted) {
      await around.sleep(1_000, this.ending.signal);
      const now = around.now();
      if (this.polling && this.options.socket && now >= this.refusedUntil) await this.trySocket();
      for (const line of this.lines) {
        line.stream.tick(now);
        const since = Math.max(line.stream.newsHeardAt, line.checkedAt);
        if (line.socket.open && !line.checking && now - since >= quiet) void this.compare(line, now);
      }
    }
  }

  /** A socket that has been quiet: is the market, or is the feed? REST knows. */
  private async compare(line: Line, now: number): Promise<void> {
    const { around, rest, shelf } = this.options;
    line.checking = true;
    try {
      const heard = line.stream.newsHeardAt;
      const tickers = [...line.stream.contracts]
        .filter((ticker) => shelf.get(ticker)?.doubt === null)
        .slice(0, MOST_TICKERS);
      if (tickers.length === 0) return;
      const books = await rest.books(tickers);
      const at = around.shown();
      if (line.stream.newsHeardAt !== heard) return;
      for (const raw of books) {
        const read = readRestBook(raw);
        const held = read.ok ? shelf.get(read.ticker)?.book : undefined;
        if (!read.ok || !held) continue;
        if (held.equals(read.book)) {
          shelf.confirm(read.ticker, at);
          continue;
        }
        around.log(`venue_a: ${read.ticker} moved on REST while its socket said nothing`);
        // Since its last word nobody knows what it left out.
        line.stream.closed('feed.frozen', line.stream.lastNewsAt ?? at);
        line.socket.restart();
        return;
      }
    } catch (error) {
      around.log(`venue_a: books could not be compared: ${String(error)}`);
    } finally {
      line.checkedAt = now;
      line.checking = false;
    }
  }
}
