import { Pool } from '../_shared/pool/pool.ts';
import type { SqlValue } from '../_shared/pool/values.ts';

export function connect(
  url: string,
  log: (line: string) => void,
  maxConnections = 4,
  requestId?: string,
  onQuery?: () => void,
): Pool {
  return new Pool({ url, name: 'parallax stream', maxConnections, limitMs: 7_000, log, requestId, onQuery });
}

export type ChannelPosition = { channel: string; epoch: string; offset: number };
export type LogPage = { epoch: string | null; top: number; recovered: boolean; upto: number; frames: string[] };
export type ConnectErrorCode = 'ticket' | 'key' | 'plan' | 'cap';
export type AdmittedConnection = {
  refused?: undefined;
  org_id: string;
  max_conns: number;
  channels: ChannelPosition[];
};
export type RenewedConnections = {
  connections: { id: string; org_id: string; refused: Exclude<ConnectErrorCode, 'ticket'> | null }[];
  orgs: Record<string, string[]>;
};

/**
 * The SQL functions that the role parallax_stream may execute, one method each
 * (sql/798_stream_connections.sql).
 */
export class StreamQueries {
  readonly #pool: Pool;
  readonly #server: string;

  constructor(pool: Pool, server: string) {
    this.#pool = pool;
    this.#server = server;
  }

  openConnection(ticketHash: string, connection: string): Promise<AdmittedConnection | { refused: ConnectErrorCode }> {
    return this.#call('stream.open_connection($1, $2, $3)', [`\\x${ticketHash}`, connection, this.#server]);
  }

  renewConnections(connections: readonly string[]): Promise<RenewedConnections> {
    return this.#call('stream.renew_connections($1, $2)', [this.#server, connections]);
  }

  async closeConnections(connections: readonly string[]): Promise<void> {
    await this.#call('stream.close_connections($1, $2)', [this.#server, connections]);
  }

  channelPositions(channels: readonly string[]): Promise<ChannelPosition[]> {
    return this.#call('stream.channel_positions($1)', [channels]);
  }

  /** Rejects where the log cannot be read within `limitMs`. */
  async checkLog(limitMs: number): Promise<void> {
    await this.#pool.query('select stream.channel_positions($1)', [['markets:all']], limitMs);
  }

  readPublications(channel: string, epoch: string, after: number): Promise<LogPage> {
    return this.#call('stream.read_publications($1, $2, $3)', [channel, epoch, after]);
  }

  async end(): Promise<void> {
    await this.#pool.end(1_000);
  }

  async #call<T>(call: string, values: readonly SqlValue[]): Promise<T> {
    const [row] = await this.#pool.query<{ answer: string }>(`select ${call}::text as answer`, values);
    return JSON.parse(row?.answer || 'null') as T;
  }
}
