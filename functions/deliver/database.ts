import postgres from 'postgres';

export type Sql = ReturnType<typeof connect>;

/** Two connections: one claims while the other reports. */
export function connect(url: string) {
  return postgres(url, {
    // The pooler's transaction mode knows no prepared statements.
    prepare: false,
    max: 2,
    connect_timeout: 10,
    idle_timeout: 60,
    // The driver's own look at array types rejects where nobody can catch it when the server goes down meanwhile; none are used.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'parallax deliver' },
  });
}

/** An attempt to make now (webhook.attempt in sql/74): signed, with the parts of the address as the database read them. */
export type Attempt = {
  delivery_id: string;
  claim: string;
  event: string;
  body: string;
  host: string;
  port: number;
  target: string;
  /** The operator allows this host, whatever it resolves to. */
  listed: boolean;
  /** Why it is not to be sent at all. */
  refused: string | null;
  signed_at: string;
  signature: string;
  standard_signature: string;
};

/** What came of an attempt: the status of its answer, or why there was none. */
export type Outcome = { status: number } | { error: string };
export type Result = { delivery_id: string; claim: string; took_ms: number } & Outcome;

/** The doors of the database that a sender may use. */
export class Doors {
  private readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }

  async claim(most: number, each: number, staysSeconds: number): Promise<Attempt[]> {
    return await this.sql<Attempt[]>`
      select * from webhook.claim(${most}, ${each}, ${`${staysSeconds} seconds`}::interval)`;
  }

  async report(results: readonly Result[]): Promise<void> {
    await this.sql`select webhook.report(${JSON.stringify(results)}::text::jsonb)`;
  }

  /** Those of the addresses that belong to the public Internet. */
  async publicAmong(addresses: readonly string[]): Promise<string[]> {
    const [row] = await this.sql<{ found: string[] }[]>`
      select to_jsonb(webhook.public_among(array(select jsonb_array_elements_text(${JSON.stringify(addresses)}::text::jsonb)))) as found`;
    return row?.found ?? [];
  }

  async leave(): Promise<void> {
    await this.sql`select webhook.leave()`;
  }

  async end(): Promise<void> {
    await this.sql.end({ timeout: 2 });
  }
}
