import postgres from 'postgres';

export type Sql = ReturnType<typeof connect>;

/** Through the transaction-mode pooler when hosted: nothing prepared, no types fetched. */
export function connect(url: string) {
  return postgres(url, {
    prepare: false,
    fetch_types: false,
    max: 4,
    idle_timeout: 60,
    connect_timeout: 5,
    backoff: () => 0.2,
    onnotice: () => {},
    connection: { application_name: 'parallax stream' },
  });
}

export type Stands = { channel: string; epoch: string; offset: number };
export type Page = { epoch: string | null; top: number; recovered: boolean; upto: number; frames: string[] };
export type Refusal = 'ticket' | 'key' | 'plan' | 'cap';
export type Admitted = { refused?: undefined; org_id: string; max_conns: number; channels: Stands[] };
export type Renewed = {
  connections: { id: string; org_id: string; refused: Exclude<Refusal, 'ticket'> | null }[];
  orgs: Record<string, string[]>;
};

const patienceMs = 7_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What role parallax_stream may do, one method each (sql/79_stream_tickets_leases.sql). Statements have no bind parameters: with nothing
 * prepared each would cost a second round trip. What stands in them is hexadecimal digits, uuids and whole numbers, checked here.
 */
export class Doors {
  readonly #sql: Sql;
  readonly #server: string;

  constructor(sql: Sql, server: string) {
    this.#sql = sql;
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
    await this.#sql.end({ timeout: 1 });
  }

  async #ask<T>(call: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the database does not answer')), patienceMs);
    });
    try {
      const asked = this.#sql.unsafe<{ answer: string }[]>(`select ${call}::text as answer`);
      const [row] = await Promise.race([asked, late]);
      return JSON.parse(row?.answer || 'null') as T;
    } finally {
      clearTimeout(timer);
    }
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
