import pg from 'pg';

/** Runs one statement and returns its rows. */
export type RunQuery = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * statement_timeout ends a statement in the server. Without a response after the second time, the
 * server is considered gone.
 */
const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECTION_TIMEOUT_MS = 15_000;

/**
 * The project's database. Connections whose backend died are discarded, and their queries fail. As
 * soon as Postgres runs again, the next query gets a new connection.
 */
export class Database {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 6,
      application_name: 'realtime',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: CONNECTION_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    });
    // Idle connections end with their server. No caller waits for them.
    this.#pool.on('error', () => {});
  }

  readonly query: RunQuery = (text, values) => queryOn(this.#pool)(text, values);

  /** Runs `work` in a transaction that is always rolled back. */
  async rolledBack<T>(work: (ask: RunQuery) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let lost: Error | undefined;
    const lose = (error: Error): void => {
      lost = error;
    };
    client.on('error', lose);
    try {
      await client.query('begin');
      return await work(queryOn(client));
    } finally {
      await client.query('rollback').catch(lose);
      client.off('error', lose);
      client.release(lost);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

const queryOn =
  (over: pg.Pool | pg.PoolClient): RunQuery =>
  async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await over.query<Row>(text, [...values])).rows;
