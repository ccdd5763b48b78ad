import { BookStore } from '../../functions/ingest/books/book_store.ts';
import type { VenueCode } from '../../functions/ingest/listing.ts';
import { openWithNode } from '../../functions/ingest/sockets.ts';
import { countMessage as countMessageA } from '../../functions/ingest/venue_a/known_fields.ts';
import type { Signer } from '../../functions/ingest/venue_a/sign.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { countMessage as countMessageB } from '../../functions/ingest/venue_b/known_fields.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { counting, Findings, type Row } from './row.ts';
import type { Wire } from './wire.ts';

/** What a socket showed within the seconds of the probe. */
export type SocketReport = {
  row: Row;
  opened: boolean;
  /** HTTP status of a refused handshake. Null when it is not known, or when the socket opened. */
  refusedStatus: number | null;
  /** Whether the venue sent books, only answered pings, or sent nothing. */
  life: 'books' | 'pings' | 'none';
  /** Codes of error messages. */
  errors: readonly number[];
};

/** A ping goes out this often, so that a quiet market is not taken for a dead socket. */
const MAX_PING_MS = 2_000;

/** Subscribes to the books of these tickers of venue_a. */
export async function probeSocketA(
  wire: Wire,
  socket: { url: string; sign: Signer },
  tickers: readonly string[],
  seconds: number,
): Promise<SocketReport> {
  const session = new Session('venue_a', tickers);
  const errors: number[] = [];
  const stream = new VenueAStream(session.store, {
    send: (command) => session.send(JSON.stringify(command)),
    reject: (row) => session.findings.rejectMessage(row),
    reconnect: () => {},
    onKeyRejected: () => {},
    onOverflow: () => {},
    inspect: (message) => {
      session.count(fieldOf(message, 'type'));
      countMessageA(session.findings.unknown, message);
      const code = fieldOf(message, 'type') === 'error' ? fieldOf(fieldOf(message, 'msg'), 'code') : null;
      if (typeof code === 'number') errors.push(code);
    },
  });
  stream.subscribe(tickers, Date.now());
  const headers = await socket.sign('GET', new URL(socket.url).pathname);
  await session.run(wire, socket.url, headers, seconds, {
    open: () => stream.onOpen(Date.now()),
    message: (text) => stream.receive(text, Date.now(), Date.now()),
    ping: () => stream.ping(),
  });
  const [snapshots, deltas] = [session.of('orderbook_snapshot'), session.of('orderbook_delta')];
  session.findings.rows = `${counting(tickers.length, 'market')}, ${counting(snapshots, 'snapshot')}, ${counting(deltas, 'delta')}`;
  return session.report('WebSocket orderbook_delta', snapshots + deltas > 0, 'no snapshot arrived', errors);
}

/** Subscribes to the books of these tokens of venue_b. */
export async function probeSocketB(
  wire: Wire,
  url: string,
  tokens: readonly string[],
  seconds: number,
): Promise<SocketReport> {
  const session = new Session('venue_b', tokens);
  const stream = new VenueBStream(session.store, {
    send: (command) => session.send(JSON.stringify(command)),
    reject: (row) => session.findings.rejectMessage(row),
    inspect: (message) => {
      session.count(fieldOf(message, 'event_type'));
      countMessageB(session.findings.unknown, message);
    },
  });
  stream.subscribe(tokens, Date.now());
  await session.run(wire, url, {}, seconds, {
    open: () => stream.onOpen(Date.now()),
    message: (text) => {
      if (text === 'PONG') session.count('PONG');
      stream.receive(text, Date.now(), Date.now());
    },
    ping: () => 'PING',
  });
  const [books, changes, pongs] = [session.of('book'), session.of('price_change'), session.of('PONG')];
  session.findings.rows = `${counting(tokens.length, 'token')}, ${counting(books, 'book')}, ${counting(changes, 'price_change')}, ${pongs} PONG`;
  return session.report('WebSocket market', books + changes > 0, 'no book arrived', []);
}

type SessionEvents = { open(): void; message(text: string): void; ping(): string };

/** One socket for some seconds. */
class Session {
  readonly store: BookStore;
  readonly findings: Findings;
  readonly types = new Map<string, number>();
  readonly #venue: VenueCode;
  #opened = false;
  #refusedStatus: number | null = null;
  #reason = '';
  #send: (text: string) => void = () => {};

  constructor(venue: VenueCode, contracts: readonly string[]) {
    this.#venue = venue;
    this.store = new BookStore(venue, () => {});
    for (const contract of contracts) this.store.track(contract, Date.now());
    this.findings = new Findings(venue);
  }

  send(text: string): void {
    this.#send(text);
  }

  count(type: unknown): void {
    const name = typeof type === 'string' ? type : 'none';
    this.types.set(name, this.of(name) + 1);
  }

  of(type: string): number {
    return this.types.get(type) ?? 0;
  }

  /** Listens until the time is over, the socket closes, or the probe is stopped. */
  async run(
    wire: Wire,
    url: string,
    headers: Record<string, string>,
    seconds: number,
    events: SessionEvents,
  ): Promise<void> {
    const over = new AbortController();
    const socket = openWithNode(url, headers, {
      open: () => {
        this.#opened = true;
        events.open();
      },
      message: (text) => events.message(text),
      close: (reason, refusedStatus) => {
        this.#reason = reason;
        if (!this.#opened) this.#refusedStatus = refusedStatus ?? null;
        over.abort();
      },
    });
    this.#send = (text) => socket.send(text);
    const until = Date.now() + seconds * 1_000;
    const pingMs = Math.min(MAX_PING_MS, seconds * 300);
    const signal = AbortSignal.any([over.signal, wire.signal]);
    while (Date.now() < until && !signal.aborted) {
      await wire.runtime.sleep(Math.min(pingMs, until - Date.now()), signal);
      if (this.#opened && !signal.aborted) socket.send(events.ping());
    }
    socket.close();
  }

  report(endpoint: string, hasBooks: boolean, nothing: string, errors: readonly number[]): SocketReport {
    const { columns } = this.findings;
    const missing = hasBooks ? null : nothing;
    const failure = this.#opened ? missing : `the connection was not accepted (${this.#reason || 'no answer'})`;
    return {
      row: {
        venue: this.#venue,
        endpoint,
        status: this.#opened
          ? 'open'
          : this.#refusedStatus === null
            ? 'no connection'
            : `refused ${this.#refusedStatus}`,
        ...columns,
        failure: failure ?? (columns.missing.length > 0 ? 'a required field is missing' : null),
      },
      opened: this.#opened,
      refusedStatus: this.#refusedStatus,
      life: hasBooks ? 'books' : this.types.size > 0 ? 'pings' : 'none',
      errors,
    };
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[field] : undefined;
