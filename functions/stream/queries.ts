import { Pool } from '../_shared/pool/pool.ts';

export function connect(url: string, log: (line: string) => void, most = 4, requestId?: string): Pool {
  return new Pool({ url, name: 'parallax stream', most, limitMs: 7_000, log, requestId });
}

export type Stands = { channel: string; epoch: string; offset: number };
export type Page = { epoch: string | null; top: number; recovered: boolean; upto: number; frames: string[] };
export type Refusal = 'ticket' | 'key' | 'plan' | 'cap';
export type Admitted = { refused?: undefined; org_id: string; max_conns: number; channels: Stands[] };
export type Renewed = {
  connections: { id: string; org_id: string; refused: Exclude<Refusal, 'ticket'> | null }[];
  orgs: Record<string, string[]>;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What role parallax_stream may do, one method each (sql/79_stream_tickets_leases.sql). Statements have no bind parameters: one message,
 * where binding with nothing prepared takes five. What stands in them is hexadecimal digits, uuids and whole numbers, checked here.
 */
export class Doors {
  readonly #pool: Pool;
  readonly #server: string;

  constructor(pool: Pool, server: string) {
    this.#pool = pool;
    this.#server = server;
  }

  connect(ticketHash: string, connection: string): Promise<Admitted | { refused: Refusal }> {
    if (!/^[0-9a-f]{64}$/.test(ticketHash)) throw new Error('no hash of a ticket');
    return this.#ask(`stream.connect(decode('${ticketHash}', 'hex'), ${uuids([connection])}[1], '${this.#server}')`);
  }

  renew(connections: readonly string[]): Promise<Renewed> {
    return this.#ask(`stream.renew('${this.#server}', ${uuids(connections)})`);
  }

  async disconnect(connections: readonly string[]): Promise<void> {
    await this.#ask(`stream.disconnect('${this.#server}', ${uuids(connections)})`);
  }

  positions(channels: readonly string[]): Promise<Stands[]> {
    return this.#ask(`stream.positions(array[${channels.map(text).join(', ')}]::text[])`);
  }

  read(channel: string, epoch: string, after: number): Promise<Page> {
    if (!Number.isSafeInteger(after)) throw new Error('no offset');
    return this.#ask(`stream.read_log(${text(channel)}, ${text(epoch)}, ${after})`);
  }

  async end(): Promise<void> {
    await this.#pool.end(1_000);
  }

  async #ask<T>(call: string): Promise<T> {
    const [row] = await this.#pool.query<{ answer: string }>(`select ${call}::text as answer`);
    return JSON.parse(row?.answer || 'null') as T;
  }
}

function uuids(ids: readonly string[]): string {
  if (!ids.every((id) => uuid.test(id))) throw new Error('no id of a connection');
  return `('{${ids.join(',')}}'::uuid[])`;
}

function text(value: string): string {
  let hex = '';
  for (const byte of new TextEncoder().encode(value)) hex += byte.toString(16).padStart(2, '0');
  return `convert_from('\\x${hex}', 'UTF8')`;
}
