import { LiveSocket, type SocketMaker } from '../../_shared/socket.ts';
import type { Doubt, Shelf } from '../books/book_store.ts';
import { WireFault } from '../decimal.ts';
import { Audit, AuditTurns, QUIET_MS, type RestBook } from '../feeds/audit.ts';
import { type BookFeed, chunks, distribute, type FeedSurroundings, latest } from '../feeds/feed.ts';
import { read } from '../feeds/parse.ts';
import { bookOf } from './books.ts';
import { Restart } from './post_only_timer.ts';
import { MOST_TOKENS, type VenueBRest } from './rest.ts';
import { restBook } from './schemas.ts';
import { VenueBStream } from './stream.ts';

export type VenueBFeedOptions = {
  shelf: Shelf;
  rest: VenueBRest;
  around: FeedSurroundings;
  socket: { url: string; make: SocketMaker };
  /** Silence of a token after which its book is compared with REST. */
  quietMs?: number;
  /** How often a token of which much is heard is compared. */
  busyMs?: number;
  /** How long nothing can be taken after a restart of the engine, market time. */
  postOnlyMs?: number;
};

const MOST_ON_SOCKET = 400;
/**
 * Comparisons with REST a second, 100 tokens each. /books takes 500 requests in 10 s for each address (venues.md B5) and `rest.ts` keeps to
 * half of that; 10 a second are a fifth of it and go round 10,000 quiet tokens in the 10 s after which one of them is compared.
 */
const AUDITS_A_SECOND = 10;
const ROUND_MS = 200;

type Line = { stream: VenueBStream; socket: LiveSocket; audit: Audit };

/** Books of venue_b over WebSockets, with REST to heal what the socket loses. */
export class VenueBFeed implements BookFeed {
  private readonly options: VenueBFeedOptions;
  private readonly lines: Line[] = [];
  private readonly ending = new AbortController();
  private ticking: Promise<void> = Promise.resolve();
  private readonly restart: Restart;
  private closed = false;
  private probing = false;
  private readonly turns = new AuditTurns();

  constructor(options: VenueBFeedOptions) {
    this.options = options;
    this.restart = new Restart(options.postOnlyMs);
    options.rest.listen((status) => {
      this.restart.heard(status, options.around.shown());
      this.watchEngine();
    });
  }

  get detail(): string {
    return `websocket${this.closed ? ', venue takes no orders' : ''}`;
  }

  get lastNewsAt(): number | null {
    return latest(this.lines.map((line) => line.stream.lastNewsAt));
  }

  get lastAliveAt(): number | null {
    return latest(this.lines.map((line) => line.socket.lastAliveAt));
  }

  start(): void {
    this.ticking = this.tick();
    this.follow();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all([this.ticking, ...this.lines.map((line) => line.socket.stop())]);
  }

  follow(): void {
    if (this.ending.signal.aborted) return;
    const now = this.options.around.now();
    const wanted = new Set(this.options.shelf.contracts());
    const streams = this.lines.map((line) => line.stream);
    const fresh = distribute(streams, wanted, MOST_ON_SOCKET, now);
    for (const part of chunks(fresh, MOST_ON_SOCKET)) this.connect(part);
  }

  private connect(tokens: readonly string[]): void {
    const { around, shelf, socket } = this.options;
    const stream: VenueBStream = new VenueBStream(shelf, {
      send: (command) => live.send(command),
      aside: around.aside,
      restart: (why) => {
        around.log(`venue_b: new connection: ${why}`);
        live.restart();
      },
      segment: () => around.segment(),
    });
    const live: LiveSocket = new LiveSocket({
      url: socket.url,
      make: socket.make,
      around,
      on: {
        open: () => {
          stream.opened(around.now());
          line.audit.opened(around.now());
        },
        message: (text, at) => stream.receive(text, at, around.now()),
        down: (why, lastAlive) => stream.closed(why, lastAlive ?? around.shown()),
        ping: () => 'PING',
      },
    });
    const line: Line = { stream, socket: live, audit: this.auditOf(stream, live) };
    if (this.closed) stream.trust.hold('venue.post_only', around.shown());
    stream.want(tokens, around.now());
    this.lines.push(line);
    live.start();
  }

  private async tick(): Promise<void> {
    const { around } = this.options;
    let checkAt = 0;
    while (!this.ending.signal.aborted) {
      await around.sleep(ROUND_MS, this.ending.signal);
      const now = around.now();
      this.watchEngine();
      for (const line of this.lines) {
        const due = line.stream.due(now);
        for (const part of chunks(due, MOST_TOKENS)) void this.restore(line, part);
      }
      if (now < checkAt) continue;
      checkAt = now + 1_000;
      // A line that is down may be down because the engine restarts: only REST says so.
      if (this.restart.isDown || this.lines.some((line) => !line.socket.open)) void this.probe();
      this.turns.run(this.lines, AUDITS_A_SECOND, now);
    }
  }

  private async probe(): Promise<void> {
    const [token] = this.options.shelf.contracts();
    if (this.probing || token === undefined) return;
    this.probing = true;
    try {
      await this.options.rest.books([token]);
    } catch {
      // What it answered was heard; that it did not answer says nothing.
    } finally {
      this.probing = false;
    }
  }

  /** While the engine restarts, and two minutes longer, nothing of venue_b can be taken. */
  private watchEngine(): void {
    const at = this.options.around.shown();
    const closed = this.restart.closes(at);
    if (closed === this.closed) return;
    this.closed = closed;
    this.options.around.log(`venue_b ${closed ? 'restarts its engine: nothing can be taken' : 'takes orders again'}`);
    for (const { stream } of this.lines) {
      if (closed) stream.trust.hold('venue.post_only', at);
      else stream.resume('venue.post_only', at);
    }
  }

  private async restore(line: Line, tokens: readonly string[]): Promise<void> {
    const { around, rest } = this.options;
    try {
      const books = await rest.books(tokens);
      const at = around.shown();
      const missing = new Set(tokens);
      this.options.shelf.together(() => {
        for (const raw of books) {
          const token = line.stream.restored(raw, at);
          if (token !== null) missing.delete(token);
        }
        // The CLOB knows a new market some minutes late; `due` asks for it again.
        for (const token of missing) line.stream.trust.doubt(token, 'book.missing', at);
      });
    } catch (error) {
      around.log(`venue_b: ${tokens.length} books not read again: ${String(error)}`);
    }
  }

  private auditOf(stream: VenueBStream, live: LiveSocket): Audit {
    const { around, shelf } = this.options;
    return new Audit({
      line: {
        contracts: stream.contracts,
        heardAt: (token) => stream.heardAt(token),
        trust: stream.trust,
        hashOf: (token) => stream.hashOf(token),
        lost: (token) => stream.doubt(token, 'book.gap', shelf.get(token)?.readAt ?? around.shown()),
        renew: (tokens) => stream.renew(tokens),
        abandon: (why: Doubt) => {
          stream.closed(why, stream.lastNewsAt ?? around.shown());
          live.restart();
        },
      },
      shelf,
      around,
      read: (tokens) => this.restBooks(tokens),
      quietMs: this.options.quietMs ?? QUIET_MS,
      ...(this.options.busyMs === undefined ? {} : { busyMs: this.options.busyMs }),
    });
  }

  private async restBooks(tokens: readonly string[]): Promise<Map<string, RestBook>> {
    const books = new Map<string, RestBook>();
    for (const raw of await this.options.rest.books(tokens)) {
      const reading = read(restBook, raw, 'book');
      if (!reading.ok) continue;
      try {
        const { asset_id, bids, asks, hash } = reading.value;
        books.set(asset_id, { book: bookOf(bids, asks), hash });
      } catch (error) {
        if (!(error instanceof WireFault)) throw error;
      }
    }
    return books;
  }
}
