import type { CloseReason } from './close_codes.ts';
import type { Connection } from './connection.ts';
import type { AdmittedConnection, StreamQueries } from './queries.ts';

/**
 * Sockets that the server closed and that still exist. An organization with more of them above its
 * limit of connections gets no new connection.
 */
const MAX_CLOSING_ABOVE_LIMIT = 2;
/**
 * Sockets without an accepted ticket, in addition to `maxConnections`. Above this the oldest one is
 * cut, so that strangers exclude no other client.
 */
const MAX_NEWCOMERS = 1_000;
/**
 * A socket is cut when its client has not answered the close frame for this long. A client with a
 * ticket may be slow: it first reads what was sent before the close frame.
 */
const CUT_NEWCOMER_MS = 3_000;
const CUT_ADMITTED_MS = 15_000;

export type AdmissionLimits = {
  /** Sockets of clients with a ticket. */
  maxConnections: number;
  /** Sockets of one address without an accepted ticket. */
  maxPerAddress: number;
};

/**
 * The sockets of this isolate: which clients it admits, and which sockets still use its memory. A
 * socket counts from its upgrade until it is gone, also while it closes.
 */
export class Admission {
  readonly #queries: StreamQueries;
  readonly #releaseSlot: (id: string) => void;
  readonly #limits: AdmissionLimits;
  /** Sockets without an accepted ticket and their addresses, the oldest first. */
  readonly #newcomers = new Map<Connection, string | null>();
  /** Sockets of clients with a ticket and their organizations. */
  readonly #admitted = new Map<Connection, string>();
  /** Sockets of both kinds that are not served any more, and when their service ended. */
  readonly #closing = new Map<Connection, number>();

  /** `releaseSlot`: another connection of the organization may take the slot of this one. */
  constructor(queries: StreamQueries, limits: AdmissionLimits, releaseSlot: (id: string) => void) {
    this.#queries = queries;
    this.#limits = limits;
    this.#releaseSlot = releaseSlot;
  }

  /** Connections that are served, pending ones included. */
  get size(): number {
    return this.#newcomers.size + this.#admitted.size - this.#closing.size;
  }

  get closing(): number {
    return this.#closing.size;
  }

  /** Whether another socket would be one too many, even if its client has a ticket. */
  get isFull(): boolean {
    const { maxConnections } = this.#limits;
    const sockets = this.#admitted.size + this.#newcomers.size;
    return this.#admitted.size >= maxConnections || sockets >= maxConnections + MAX_NEWCOMERS;
  }

  /** Whether this address has as many sockets without a ticket as it may have. */
  isAddressFull(address: string | null): boolean {
    if (address === null) return false;
    let count = 0;
    for (const other of this.#newcomers.values()) if (other === address) count += 1;
    return count >= this.#limits.maxPerAddress;
  }

  /** A copy: a connection that ends leaves the original. */
  all(): Connection[] {
    return [...this.#newcomers.keys(), ...this.#admitted.keys()].filter((connection) => !connection.isEnded);
  }

  add(connection: Connection, address: string | null): void {
    this.#newcomers.set(connection, address);
    if (this.#newcomers.size <= MAX_NEWCOMERS) return;
    const [oldest] = this.#newcomers.keys();
    oldest?.end('noConnect');
    oldest?.cut();
  }

  async admit(ticketHash: string, connection: Connection): Promise<AdmittedConnection | CloseReason> {
    const admitted = await this.#queries.openConnection(ticketHash, connection.id);
    if (admitted.refused !== undefined) return admitted.refused;
    const { org_id, max_conns } = admitted;
    const closing = [...this.#closing.keys()].filter((other) => this.#admitted.get(other) === org_id).length;
    if (closing >= max_conns + MAX_CLOSING_ABOVE_LIMIT) {
      this.#releaseSlot(connection.id);
      return 'cap';
    }
    if (this.#newcomers.delete(connection)) this.#admitted.set(connection, org_id);
    return admitted;
  }

  /** The connection is not served any more. Its slot is free, its socket may still be there. */
  ended(connection: Connection): void {
    this.#closing.set(connection, Date.now());
    if (connection.orgId !== null) this.#releaseSlot(connection.id);
  }

  /** The socket is gone. */
  gone(connection: Connection): void {
    this.#newcomers.delete(connection);
    this.#admitted.delete(connection);
    this.#closing.delete(connection);
  }

  /** Cuts the sockets whose clients do not answer the close frame. */
  cutClosing(now: number): void {
    for (const [connection, endedAt] of this.#closing) {
      const limitMs = this.#admitted.has(connection) ? CUT_ADMITTED_MS : CUT_NEWCOMER_MS;
      if (now - endedAt >= limitMs) connection.cut();
    }
  }
}
