import postgres from 'postgres';
import type { Claims } from './token.ts';

/** Who asks about which topic (without prefix). `headers` are the `x-…` headers of the connection. */
export type Asker = { topic: string; claims: Claims; headers: Record<string, string> };

export type Reads = { broadcast: boolean; presence: boolean };

/** The database could not be asked: that is no refusal. `message` is Realtime's text, `code` comes before it in a reason. */
export class CannotAsk extends Error {
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}

/**
 * Row security decides about a private topic, by trial: rows are put into realtime.messages as the administrator and looked for
 * as the caller (may it read?), or put there as the caller (may it write?). The transaction is always rolled back.
 */
export class Policies {
  readonly #sql: postgres.Sql;

  constructor(sql: postgres.Sql) {
    this.#sql = sql;
  }

  /** Unknown roles and policies that raise count as a refusal. Throws CannotAsk. */
  async mayRead(asker: Asker, presence: boolean): Promise<Reads> {
    const seen = await this.#undone<string[]>([], async (sql) => {
      const probes = await sql<{ id: string }[]>`
        insert into realtime.messages (topic, extension)
        select ${asker.topic}, p.extension
        from (values ('broadcast'), ('presence')) p (extension)
        where p.extension = 'broadcast' or ${presence}
        returning id`;
      await become(sql, asker);
      const ids = probes.map((probe) => probe.id).join(',');
      const rows = await sql<{ extension: string }[]>`
        select m.extension from realtime.messages m
        where m.topic = ${asker.topic} and m.id = any(string_to_array(${ids}, ',')::uuid[])`;
      return rows.map((row) => row.extension);
    });
    return { broadcast: seen.includes('broadcast'), presence: seen.includes('presence') };
  }

  /** Throws CannotAsk. */
  async mayWrite(asker: Asker): Promise<boolean> {
    return this.#undone(false, async (sql) => {
      await become(sql, asker);
      await sql`insert into realtime.messages (topic, extension) values (${asker.topic}, 'broadcast')`;
      return true;
    });
  }

  async #undone<T>(refused: T, work: (sql: postgres.TransactionSql) => Promise<T>): Promise<T> {
    let found: { value: T } | undefined;
    try {
      await this.#sql.begin(async (sql) => {
        found = { value: await work(sql) };
        await sql`rollback and chain`;
      });
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble) throw trouble;
      if (!(error instanceof postgres.PostgresError) || error.code !== '42501')
        console.error('a policy failed:', error);
      return refused;
    }
    return found ? found.value : refused;
  }
}

async function become(sql: postgres.TransactionSql, { topic, claims, headers }: Asker): Promise<void> {
  await sql`
    select
      set_config('realtime.topic', ${topic}, true),
      set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
      set_config('request.jwt.claim.sub', ${typeof claims.sub === 'string' ? claims.sub : ''}, true),
      set_config('request.jwt.claim.role', ${claims.role}, true),
      set_config('request.headers', ${JSON.stringify(headers)}, true),
      set_config('role', ${claims.role}, true)`;
}

/** Why the database could not answer, or undefined when it did. */
function troubleOf(error: unknown): CannotAsk | undefined {
  if (!(error instanceof postgres.PostgresError)) {
    return new CannotAsk('UnableToConnectToProject', 'Realtime was unable to connect to the project database');
  }
  const { code, message } = error;
  if (code === '23514' && message.includes('no partition'))
    return new CannotAsk('MissingPartition', 'Realtime was unable to find the expected messages partition');
  if (code === '57014') return new CannotAsk('QueryCanceled', 'Query was cancelled, please try again');
  if (/^(53|57|08)/.test(code))
    return new CannotAsk('InitializingProjectConnection', 'Connecting to the project database');
  return undefined;
}
