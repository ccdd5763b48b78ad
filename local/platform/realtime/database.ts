import pg from 'pg';

/** One statement and its answer. */
export type RunQuery = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** After statement_timeout the server ends a statement itself; so long after it the server is taken for gone. */
const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECTION_TIMEOUT_MS = 15_000;

/**
 * The project's database as Realtime asks it. Connections whose backend died are thrown away, and what was asked over them is refused; as
 * soon as Postgres is back, the next question has another.
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
    // Connections at rest end with their server: there is nobody to tell.
    this.#pool.on('error', () => {});
  }

  readonly query: RunQuery = (text, values) => askOver(this.#pool)(text, values);

  /** What `work` finds in a transaction of which nothing stays. */
  async rolledBack<T>(work: (ask: RunQuery) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let lost: Error | undefined;
    const lose = (error: Error): void => {
      lost = error;
    };
    client.on('error', lose);
    try {
      await client.query('begin');
      return await work(askOver(client));
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

const askOver =
  (over: pg.Pool | pg.PoolClient): RunQuery =>
  async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await over.query<Row>(text, [...values])).rows;
