import { Admission, type AdmissionLimits } from './admission.ts';
import type { Channel } from './channel.ts';
import type { CloseReason } from './close_codes.ts';
import { type ClientSocket, Connection, type ConnectionHost } from './connection.ts';
import { ConnectionLeases } from './connection_leases.ts';
import type { WorkCounts } from './cpu_budget.ts';
import { Drain } from './drain.ts';
import { LogPageCache } from './log_page_cache.ts';
import { LogReader, type PublicationLog } from './log_reader.ts';
import type { AdmittedConnection, StreamQueries } from './queries.ts';

const TIMER_MS = 1_000;

export type HubOptions = {
  queries: StreamQueries;
  limits: AdmissionLimits;
  recheckMs: number;
  version: string;
  log: (line: string) => void;
};

/**
 * All connections of this isolate. Admission accepts them, leases keep them, the drain ends them.
 */
export class Hub implements ConnectionHost {
  readonly version: string;
  /** Missed publications, for clients that reconnect and for slow ones. */
  readonly publicationLog: PublicationLog;
  readonly reader: LogReader;
  readonly log: (line: string) => void;
  readonly #admission: Admission;
  readonly #leases: ConnectionLeases;
  readonly #drain: Drain;
  readonly #timer: ReturnType<typeof setInterval>;
  #whenEmpty: (() => void)[] = [];
  #messages = 0;

  constructor({ queries, limits, recheckMs, version, log }: HubOptions) {
    this.version = version;
    this.log = log;
    this.publicationLog = new LogPageCache(queries);
    this.reader = new LogReader({ publicationLog: queries, log, onReset: (channel) => this.#endSubscribers(channel) });
    this.#admission = new Admission(queries, limits, (id) => this.releaseSlot(id));
    this.#leases = new ConnectionLeases({
      queries,
      reader: this.reader,
      connections: () => this.#admission.all(),
      recheckMs,
      log,
    });
    this.#drain = new Drain(this.#admission, this.#leases);
    this.#timer = setInterval(() => this.#onTimer(), TIMER_MS);
  }

  /** Whether another socket would be one too many, even if its client has a ticket. */
  get isFull(): boolean {
    return this.#admission.isFull;
  }

  /** Whether this address has as many sockets without a ticket as it may have. */
  isAddressFull(address: string | null): boolean {
    return this.#admission.isAddressFull(address);
  }

  /** Frames and messages of this isolate so far. */
  get work(): WorkCounts {
    return { frames: this.reader.framesReceived, messages: this.#messages };
  }

  sent(messages: number): void {
    this.#messages += messages;
  }

  open(socket: ClientSocket, address: string | null): Connection {
    const connection = new Connection(socket, this);
    this.#admission.add(connection, address);
    return connection;
  }

  async admit(ticketHash: string, connection: Connection): Promise<AdmittedConnection | CloseReason> {
    const admitted = await this.#admission.admit(ticketHash, connection);
    if (typeof admitted !== 'string') this.#leases.watchPlan(admitted.channels);
    return admitted;
  }

  ended(connection: Connection): void {
    this.#admission.ended(connection);
  }

  gone(connection: Connection): void {
    this.#admission.gone(connection);
  }

  releaseSlot(id: string): void {
    this.#leases.releaseSlot(id);
  }

  /** Resolves, within about a second, when there is no connection and all slots are released. */
  empty(): Promise<void> {
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  drain(spreadMs: number): Promise<void> {
    return this.#drain.run(spreadMs);
  }

  /** A running drain ends all remaining connections now. */
  drainNow(): void {
    this.#drain.endNow();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#leases.stop();
    this.reader.stop();
  }

  #onTimer(): void {
    const now = Date.now();
    for (const connection of this.#admission.all()) connection.onTimer(now);
    this.#admission.cutClosing(now);
    const { size, closing } = this.#admission;
    if (size + closing + this.#leases.releasing === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** The log of this channel was reset, so its subscribers must read the channel state again. */
  #endSubscribers(channel: Channel): void {
    for (const connection of this.#admission.all()) if (connection.isSubscribedTo(channel)) connection.end('log');
  }
}
