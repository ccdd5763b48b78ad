import type { Shelf } from '../engine/shelf.ts';
import { type BookFeed, chunks, distribute, type FeedSurroundings, latest } from '../wire/feed.ts';
import { read } from '../wire/read.ts';
import { LiveSocket, type SocketMaker } from '../wire/socket.ts';
import { bookOf } from './books.ts';
import { MOST_TOKENS, type VenueBRest } from './rest.ts';
import { VenueBStream } from './stream.ts';
import { restBook } from './wire.ts';

export type VenueBFeedOptions = {
  shelf: Shelf;
  rest: VenueBRest;
  around: FeedSurroundings;
  socket: { url: string; make: SocketMaker };
  /** Silence after which a group of tokens is compared with REST. */
  quietMs?: number;
};

const MOST_ON_SOCKET = 400;
/** Subscriptions die one by one and quietly, so silence is watched in small groups. */
const GROUP = 50;
const QUIET_MS = 30_000;
const STRIKES = 2;
const ROUND_MS = 200;

type Line = {
  stream: VenueBStream;
  socket: LiveSocket;
  checked: Map<string, number>;
  strikes: number;
  checking: boolean;
};

/** Books of venue_b over WebSockets, with REST to heal what the socket loses. */
export class VenueBFeed implements BookFeed {
  private readonly options: VenueBFeedOptions;
  private readonly lines: Line[] = [];
  private readonly ending = new AbortController();
  private ticking: Promise<void> = Promise.resolve();
  readonly detail = 'websocket';

  constructor(options: VenueBFeedOptions) {
    this.options = options;
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
    });
    const live: LiveSocket = new LiveSocket({
      url: socket.url,
      make: socket.make,
      around,
      on: {
        open: () => {
          line.checked.clear();
          stream.opened(around.now());
        },
        message: (text, at) => stream.receive(text, at, around.now()),
        down: (why, lastAlive) => stream.closed(why, lastAlive ?? around.shown()),
        ping: () => 'PING',
      },
    });
    const line: Line = { stream, socket: live, checked: new Map(), strikes: 0, checking: false };
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
      for (const line of this.lines) {
        const due = line.stream.due(now);
        for (const part of chunks(due, MOST_TOKENS)) void this.restore(line, part);
      }
      if (now < checkAt) continue;
      checkAt = now + 1_000;
      for (const line of this.lines) if (line.socket.open && !line.checking) void this.compareQuiet(line, now);
    }
  }

  private async restore(line: Line, tokens: readonly string[]): Promise<void> {
    const { around, rest, shelf } = this.options;
    try {
      const books = await rest.books(tokens);
      const at = around.shown();
      const missing = new Set(tokens);
      for (const raw of books) {
        const token = line.stream.restored(raw, at);
        if (token !== null) missing.delete(token);
      }
      // The CLOB knows a new market some minutes late; `due` asks for it again.
      for (const token of missing) shelf.doubt(token, 'book.missing', at);
    } catch (error) {
      around.log(`venue_b: ${tokens.length} books not read again: ${String(error)}`);
    }
  }

  /** Groups of which nothing was heard: is the market quiet, or is the subscription dead? REST knows. */
  private async compareQuiet(line: Line, now: number): Promise<void> {
    const quiet = this.options.quietMs ?? QUIET_MS;
    line.checking = true;
    try {
      for (const group of chunks([...line.stream.contracts], GROUP)) {
        const name = group[0] ?? '';
        const known = line.checked.get(name);
        if (known === undefined) line.checked.set(name, now);
        const heard = Math.max(known ?? now, ...group.map((token) => line.stream.heardAt(token)));
        if (now - heard < quiet) continue;
        line.checked.set(name, now);
        if (!(await this.compare(line, group))) return;
      }
    } catch (error) {
      this.options.around.log(`venue_b: books could not be compared: ${String(error)}`);
    } finally {
      line.checking = false;
    }
  }

  /** Whether the line may go on. */
  private async compare(line: Line, group: readonly string[]): Promise<boolean> {
    const { around, rest, shelf } = this.options;
    const asked = around.now();
    const books = await rest.books(group);
    const at = around.shown();
    let differs = false;
    for (const raw of books) {
      const reading = read(restBook, raw, 'book');
      if (!reading.ok) continue;
      const { asset_id, bids, asks } = reading.value;
      const held = shelf.get(asset_id);
      if (held?.doubt !== null || !held.book || line.stream.heardAt(asset_id) >= asked) continue;
      if (held.book.equals(bookOf(bids, asks))) {
        shelf.confirm(asset_id, at);
        continue;
      }
      differs = true;
      // Since it was last read nobody knows what was left out.
      line.stream.doubt(asset_id, 'feed.frozen', held.readAt ?? at);
      line.stream.restored(raw, at);
    }
    if (!differs) return true;
    line.strikes += 1;
    around.log(`venue_b: ${group.length} books moved on REST while their socket said nothing (${line.strikes})`);
    if (line.strikes >= STRIKES) {
      line.strikes = 0;
      line.stream.closed('feed.frozen', at);
      line.socket.restart();
      return false;
    }
    line.stream.renew(group);
    return true;
  }
}
