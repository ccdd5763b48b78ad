import { sqlStateOf } from '../../../functions/_shared/pool/failure.ts';
import { errorText } from '../user_error.ts';
import type { Database, RunQuery } from './database.ts';
import type { Claims } from './token.ts';

/**
 * The caller and the topic (without prefix) of a check. `headers` are the `x-…` headers of the
 * connection.
 */
export type PolicySubject = { topic: string; claims: Claims; headers: Record<string, string> };

export type PolicyResult = { broadcast: boolean; presence: boolean };

/**
 * The database could not be queried, which is not a denial. `message` is Realtime's text; a reason
 * begins with `code`.
 */
export class PolicyCheckFailed extends Error {
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}

/**
 * Row security decides about a private topic, by trial: rows are inserted into realtime.messages as
 * the administrator and selected as the caller (read), or inserted as the caller (write). The
 * transaction is always rolled back.
 */
export class Policies {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Unknown roles, and policies that raise, count as a denial. Throws PolicyCheckFailed. */
  async mayRead(asker: PolicySubject, presence: boolean): Promise<PolicyResult> {
    const seen = await this.#rolledBack<string[]>([], async (ask) => {
      const probes = await ask<{ id: string }>(
        `insert into realtime.messages (topic, extension)
         select $1, p.extension
         from (values ('broadcast'), ('presence')) p (extension)
         where p.extension = 'broadcast' or $2::boolean
         returning id`,
        [asker.topic, presence],
      );
      await assumeCaller(ask, asker);
      const rows = await ask<{ extension: string }>(
        'select m.extension from realtime.messages m where m.topic = $1 and m.id = any($2::uuid[])',
        [asker.topic, probes.map((probe) => probe.id)],
      );
      return rows.map((row) => row.extension);
    });
    return { broadcast: seen.includes('broadcast'), presence: seen.includes('presence') };
  }

  /** Throws PolicyCheckFailed. */
  async mayWrite(asker: PolicySubject): Promise<boolean> {
    return this.#rolledBack(false, async (ask) => {
      await assumeCaller(ask, asker);
      await ask(`insert into realtime.messages (topic, extension) values ($1, 'broadcast')`, [asker.topic]);
      return true;
    });
  }

  async #rolledBack<T>(refused: T, work: (ask: RunQuery) => Promise<T>): Promise<T> {
    try {
      return await this.#database.rolledBack(work);
    } catch (error) {
      const trouble = failureOf(error);
      if (trouble) throw trouble;
      if (sqlStateOf(error) !== '42501') console.error('A policy failed:', error);
      return refused;
    }
  }
}

async function assumeCaller(ask: RunQuery, { topic, claims, headers }: PolicySubject): Promise<void> {
  await ask(
    `select
       set_config('realtime.topic', $1, true),
       set_config('request.jwt.claims', $2, true),
       set_config('request.jwt.claim.sub', $3, true),
       set_config('request.jwt.claim.role', $4, true),
       set_config('request.headers', $5, true),
       set_config('role', $4, true)`,
    [
      topic,
      JSON.stringify(claims),
      typeof claims.sub === 'string' ? claims.sub : '',
      claims.role,
      JSON.stringify(headers),
    ],
  );
}

/** Why the database could not answer, or undefined when it did. */
function failureOf(error: unknown): PolicyCheckFailed | undefined {
  const code = sqlStateOf(error);
  if (code === undefined) {
    return new PolicyCheckFailed('UnableToConnectToProject', 'Realtime was unable to connect to the project database');
  }
  if (code === '23514' && errorText(error).includes('no partition'))
    return new PolicyCheckFailed('MissingPartition', 'Realtime was unable to find the expected messages partition');
  if (code === '57014') return new PolicyCheckFailed('QueryCanceled', 'Query was cancelled, please try again');
  if (/^(53|57|08)/.test(code))
    return new PolicyCheckFailed('InitializingProjectConnection', 'Connecting to the project database');
  return undefined;
}
