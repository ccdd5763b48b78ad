import postgres from 'postgres';
import { createLog } from '../../../functions/_shared/log.ts';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { connectAdmin, type Sql } from '../../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { TEST_TEMPLATE } from '../../support/names.ts';
import { startOwnPostgres } from '../../support/own_postgres.ts';
import { Standby } from '../../support/standby.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { type ApiFixture, seedCatalog } from './fixture.ts';
import { type RunningApi, serveApi } from './server.ts';

const DATABASE = 'replicated';

/** The API, and the lines of its log so far. */
export type LoggingApi = RunningApi & { lines: string[] };

/** The seeded catalog on a primary with a standby. Both count the calls of their functions. */
export class ReplicatedCatalog {
  readonly #primary: TemporaryPostgres;
  readonly standby: Standby;
  readonly sql: Sql;
  readonly clock: ApiFixture['clock'];
  #organizations = 0;

  private constructor(primary: TemporaryPostgres, standby: Standby, sql: Sql, clock: ApiFixture['clock']) {
    this.#primary = primary;
    this.standby = standby;
    this.sql = sql;
    this.clock = clock;
  }

  static async start(): Promise<ReplicatedCatalog> {
    const primary = await startOwnPostgres({ track_functions: 'pl' });
    try {
      const sql = postgres(await primary.create(DATABASE, TEST_TEMPLATE), { max: 4, onnotice: () => {} });
      const clock = await seedCatalog(sql);
      return new ReplicatedCatalog(primary, await Standby.start(primary), sql, clock);
    } catch (error) {
      await primary.stop();
      throw error;
    }
  }

  get primaryUrl(): string {
    const { cluster, password } = this.#primary;
    return databaseUrl(cluster.port, 'parallax_api', password, DATABASE);
  }

  get replicaUrl(): string {
    return this.standby.url('parallax_api', DATABASE);
  }

  /** One isolate of the API. `readUrl`: null for one without a replica. */
  async serve(readUrl: string | null = this.replicaUrl): Promise<LoggingApi> {
    const lines: string[] = [];
    const log = createLog({ function: 'api', print: (line) => lines.push(line) });
    return { ...(await serveApi(this.primaryUrl, { log, ...(readUrl ? { readUrl } : {}) })), lines };
  }

  /** Creates an organization and returns its key. */
  async key(tier = 'pro'): Promise<string> {
    const [row] = await this.sql<{ key: string }[]>`
      select account.mint_key(${`org ${++this.#organizations}`}, ${tier}) as key`;
    return row?.key ?? '';
  }

  /** Sets the counts of the primary to zero, after all connections of the API have ended. */
  async resetCalls(): Promise<void> {
    const admin = connectAdmin(this.#primary.cluster, DATABASE);
    try {
      await untilApiLeft(admin, 'primary');
      await admin`select pg_stat_reset()`;
    } finally {
      await admin.end({ timeout: 2 });
    }
  }

  /** The functions of schema api that were called since the last reset, and how often. */
  async calls(where: 'primary' | 'standby'): Promise<Record<string, number>> {
    const url = where === 'primary' ? this.#adminUrl() : this.standby.url('postgres', DATABASE);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      await untilApiLeft(sql, where);
      const rows = await sql<{ name: string; calls: number }[]>`
        select funcname as name, calls::integer from pg_stat_user_functions
        where schemaname = 'api' and calls > 0`;
      return Object.fromEntries(rows.map(({ name, calls }) => [name, calls]));
    } finally {
      await sql.end({ timeout: 2 });
    }
  }

  async close(): Promise<void> {
    await this.sql.end({ timeout: 2 });
    await this.standby.close();
    await this.#primary.stop();
  }

  #adminUrl(): string {
    const { cluster, password } = this.#primary;
    return databaseUrl(cluster.port, 'postgres', password, DATABASE);
  }
}

/** A backend reports its counts at its end. */
const untilApiLeft = (sql: Sql, where: string) =>
  waitUntil(async () => (await sql`select from pg_stat_activity where usename = 'parallax_api'`).length === 0, {
    what: `the connections of the API to the ${where} have ended`,
  });
