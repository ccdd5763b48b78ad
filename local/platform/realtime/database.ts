import pg from 'pg';

/** One statement and its answer. */
export type Ask = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** After statement_timeout the server ends a statement itself; so long after it the server is taken for gone. */
const statementMs = 10_000;
const silenceMs = 15_000;

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
      statement_timeout: statementMs,
      query_timeout: silenceMs,
      connectionTimeoutMillis: silenceMs,
    });
    // Connections at rest end with their server: there is nobody to tell.
    this.#pool.on('error', () => {});
  }

  readonly ask: Ask = (text, values) => askOver(this.#pool)(text, values);

  /** What `work` finds in a transaction of which nothing stays. */
  async undone<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
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
  (over: pg.Pool | pg.PoolClient): Ask =>
  async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await over.query<Row>(text, [...values])).rows;
