import type { CloseReason } from './close_codes.ts';
import type { Connection } from './connection.ts';
import type { AdmittedConnection, StreamQueries } from './queries.ts';

/**
 * Sockets that the server closed and that still exist. An organization with more of them above its
 * limit of connections gets no new connection.
 */
const MAX_CLOSING_ABOVE_LIMIT = 2;
/**
 * Sockets without a connect command. Above this the oldest one is closed, so that open sockets
 * exclude no other client.
 */
const MAX_PENDING = 1_000;

/**
 * The connections of this isolate: which ones it admits, and which sockets still use its memory.
 */
export class Admission {
  readonly #queries: StreamQueries;
  readonly #releaseSlot: (id: string) => void;
  readonly #connections = new Map<string, Connection>();
  /** Sockets that have not connected yet. */
  readonly #pending = new Set<Connection>();
  /**
   * Connections that the server closed while their client had not taken all bytes, with their
   * organization. They use this process's memory until the socket is gone.
   */
  readonly #closing = new Map<Connection, string>();

  /** `releaseSlot`: another connection of the organization may take the slot of this one. */
  constructor(queries: StreamQueries, releaseSlot: (id: string) => void) {
    this.#queries = queries;
    this.#releaseSlot = releaseSlot;
  }

  /** Connections that are served, pending ones included. */
  get size(): number {
    return this.#connections.size;
  }

  get closing(): number {
    return this.#closing.size;
  }

  /** A copy: a connection that ends leaves the original. */
  all(): Connection[] {
    return [...this.#connections.values()];
  }

  add(connection: Connection): void {
    this.#connections.set(connection.id, connection);
    this.#pending.add(connection);
    const [oldest] = this.#pending;
    if (this.#pending.size > MAX_PENDING) oldest?.end('noConnect');
  }

  async admit(ticketHash: string, connection: Connection): Promise<AdmittedConnection | CloseReason> {
    const admitted = await this.#queries.openConnection(ticketHash, connection.id);
    if (admitted.refused !== undefined) return admitted.refused;
    const closing = [...this.#closing.values()].filter((org) => org === admitted.org_id).length;
    if (closing >= admitted.max_conns + MAX_CLOSING_ABOVE_LIMIT) {
      this.#releaseSlot(connection.id);
      return 'cap';
    }
    this.#pending.delete(connection);
    return admitted;
  }

  /** The connection is not served any more. Its slot is free, its socket may still be there. */
  ended(connection: Connection): void {
    this.#connections.delete(connection.id);
    this.#pending.delete(connection);
    if (connection.orgId === null) return;
    this.#releaseSlot(connection.id);
    this.#closing.set(connection, connection.orgId);
  }

  /** The socket is gone. */
  gone(connection: Connection): void {
    this.#closing.delete(connection);
  }
}
