import { Pool } from '../_shared/pool/pool.ts';
import type { Value } from '../_shared/pool/values.ts';

export function connect(url: string, log: (line: string) => void, most = 4, requestId?: string): Pool {
  return new Pool({ url, name: 'parallax stream', most, limitMs: 7_000, log, requestId });
}

export type ChannelPosition = { channel: string; epoch: string; offset: number };
export type Page = { epoch: string | null; top: number; recovered: boolean; upto: number; frames: string[] };
export type Refusal = 'ticket' | 'key' | 'plan' | 'cap';
export type AdmittedConnection = {
  refused?: undefined;
  org_id: string;
  max_conns: number;
  channels: ChannelPosition[];
};
export type RenewedConnections = {
  connections: { id: string; org_id: string; refused: Exclude<Refusal, 'ticket'> | null }[];
  orgs: Record<string, string[]>;
};

/** The functions that role parallax_stream may execute, one method each (sql/79_stream_tickets_leases.sql). */
export class StreamQueries {
  readonly #pool: Pool;
  readonly #server: string;

  constructor(pool: Pool, server: string) {
    this.#pool = pool;
    this.#server = server;
  }

  connect(ticketHash: string, connection: string): Promise<AdmittedConnection | { refused: Refusal }> {
    return this.#call('stream.connect($1, $2, $3)', [`\\x${ticketHash}`, connection, this.#server]);
  }

  renew(connections: readonly string[]): Promise<RenewedConnections> {
    return this.#call('stream.renew($1, $2)', [this.#server, connections]);
  }

  async disconnect(connections: readonly string[]): Promise<void> {
    await this.#call('stream.disconnect($1, $2)', [this.#server, connections]);
  }

  positions(channels: readonly string[]): Promise<ChannelPosition[]> {
    return this.#call('stream.positions($1)', [channels]);
  }

  read(channel: string, epoch: string, after: number): Promise<Page> {
    return this.#call('stream.read_log($1, $2, $3)', [channel, epoch, after]);
  }

  async end(): Promise<void> {
    await this.#pool.end(1_000);
  }

  async #call<T>(call: string, values: readonly Value[]): Promise<T> {
    const [row] = await this.#pool.query<{ answer: string }>(`select ${call}::text as answer`, values);
    return JSON.parse(row?.answer || 'null') as T;
  }
}
