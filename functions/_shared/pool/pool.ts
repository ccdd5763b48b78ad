import pg from 'pg';
import { withRequestId } from '../http/request_id.ts';
import { Deadline } from './deadline.ts';
import { ConnectionFailed, sqlStateOf } from './failure.ts';
import { parseDatabaseUrl } from './url.ts';
import { bindValue, rowReader, type SqlValue } from './values.ts';

export type PoolOptions = {
  /**
   * URL with one of our roles. Hosted, it leads to the pooler in transaction mode: each statement
   * is one transaction, and no statement is prepared.
   */
  url: string;
  /** `application_name` of the connections. */
  name: string;
  maxConnections: number;
  /** Deadline of a query, including its wait for a connection. */
  limitMs: number;
  /**
   * Request id of every statement of this pool, where they all serve one request: see
   * `withRequestId`.
   */
  requestId?: string | undefined;
  /** Logs when the database becomes unreachable, and when it is reachable again. */
  log(line: string): void;
  /** Called before each query is sent. A CPU meter counts them. */
  onQuery?: (() => void) | undefined;
};

const CONNECT_TIMEOUT_MS = 5_000;
const FIRST_PROBE_MS = 200;
const PROBE_INTERVAL_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const IDLE_MS = 60_000;
/** A backend never gives memory back, so its connection is closed after this time. */
const LIFETIME_SECONDS = 30 * 60;

/**
 * Sets the connect timeout for the client. As an option of `pg.Pool` it would also limit the wait
 * in the pool's queue, which the deadline of each query limits already.
 */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    // pg.Pool has no error listener while a connection is checked out. An error event without a
    // listener would end the process.
    this.on('error', () => {});
  }
}

/**
 * `pg.Pool` with a deadline for each query. A query returns its rows, or throws the server's error
 * or ConnectionFailed. It is never sent twice. While the database is unreachable, all waiting
 * queries share one connection attempt a second.
 */
export class Pool {
  readonly maxConnections: number;
  readonly #options: PoolOptions;
  readonly #pool: pg.Pool;
  readonly #waiting = new Set<Deadline>();
  readonly #running = new Set<pg.PoolClient>();
  /** When each connection was last returned to the pool. */
  readonly #returnedAt = new WeakMap<pg.PoolClient, number>();
  /** A connection that was returned before this moment is closed and not used again. */
  #staleBefore = 0;
  /** Undefined while the database is reachable. */
  #unreachableReason: string | undefined;
  #failedAt = 0;
  /** 200 ms before the first attempt after a failure, one second before each later one. */
  #nextProbeMs = FIRST_PROBE_MS;
  #probe: Promise<void> | undefined;
  #end: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.maxConnections = options.maxConnections;
    this.#pool = new pg.Pool({
      ...parseDatabaseUrl(options.url),
      Client,
      application_name: options.name,
      max: options.maxConnections,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: LIFETIME_SECONDS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: { getTypeParser: rowReader as typeof pg.types.getTypeParser },
    });
    this.#pool.on('connect', () => this.#onConnected());
    // pg.Pool has already removed the failed idle connection.
    this.#pool.on('error', () => {});
  }

  /** Runs a statement and binds each `${…}` as a parameter. */
  async sql<Row>(parts: TemplateStringsArray, ...values: readonly SqlValue[]): Promise<Row[]> {
    return await this.query<Row>(
      parts.reduce((text, part, at) => `${text}$${at}${part}`),
      values,
    );
  }

  /**
   * Runs one statement with `values` for $1, $2 and so on.
   * @throws ConnectionFailed, or the server's error with its SQLSTATE as `code`
   */
  async query<Row>(
    text: string,
    values: readonly SqlValue[] = [],
    limitMs: number = this.#options.limitMs,
  ): Promise<Row[]> {
    let sent = false;
    const deadline = new Deadline(limitMs, () =>
      sent
        ? new ConnectionFailed('the database did not answer in time', { sent })
        : new ConnectionFailed(this.#unreachableReason ?? 'no connection was free in time', { sent }),
    );
    try {
      const client = await this.#connection(deadline);
      sent = true;
      this.#options.onQuery?.();
      return await this.#run<Row>(client, deadline, withRequestId(text, this.#options.requestId), values);
    } finally {
      deadline.clear();
    }
  }

  /** Rejects waiting and later queries. Running queries may take up to `graceMs`. */
  async end(graceMs: number): Promise<void> {
    this.#end ??= this.#pool.end();
    for (const waiting of this.#waiting) waiting.fail(poolClosed());
    const grace = new Deadline(graceMs, poolClosed);
    await grace.within(this.#end).catch(() => {});
    grace.clear();
    // `client.end()` closes a connection at once where a query is running on it.
    for (const client of this.#running) void client.end();
  }

  async #run<Row>(
    client: pg.PoolClient,
    deadline: Deadline,
    text: string,
    values: readonly SqlValue[],
  ): Promise<Row[]> {
    this.#running.add(client);
    let lost = false;
    try {
      const result = values.length === 0 ? client.query(text) : client.query(text, values.map(bindValue));
      return (await deadline.within(result)).rows as Row[];
    } catch (error) {
      lost = isLost(error);
      // A lost network is not reported. The idle connections may be dead as well, so none is used
      // again.
      if (error instanceof ConnectionFailed) this.#staleBefore = performance.now();
      else if (lost)
        throw new ConnectionFailed(`the connection was lost: ${textOf(error)}`, { sent: true, cause: error });
      throw error;
    } finally {
      this.#running.delete(client);
      this.#returnedAt.set(client, performance.now());
      client.release(lost);
    }
  }

  /**
   * Checks out a connection for one query. A failed attempt has sent nothing, so one more attempt
   * follows, after the shared probe.
   */
  async #connection(deadline: Deadline): Promise<pg.PoolClient> {
    this.#waiting.add(deadline);
    try {
      for (let attempt = 1; ; attempt += 1) {
        if (this.#end) throw poolClosed();
        try {
          if (this.#unreachableReason !== undefined && this.#pool.idleCount === 0)
            await deadline.within(this.#sharedProbe());
          return await this.#checkOut(deadline);
        } catch (error) {
          if (error instanceof ConnectionFailed || isPermanent(error)) throw error;
          this.#onFailure(error);
          if (attempt === 2) throw new ConnectionFailed(unreachableText(error), { sent: false, cause: error });
        }
      }
    } finally {
      this.#waiting.delete(deadline);
    }
  }

  /** Checks out a connection that is not stale. One that arrives after the deadline goes back. */
  async #checkOut(deadline: Deadline): Promise<pg.PoolClient> {
    for (;;) {
      const checkout = this.#pool.connect();
      const client = await deadline.within(checkout).catch((error) => {
        if (error instanceof ConnectionFailed) checkout.then((late) => late.release()).catch(() => {});
        throw error;
      });
      if ((this.#returnedAt.get(client) ?? Number.POSITIVE_INFINITY) >= this.#staleBefore) return client;
      client.release(true);
    }
  }

  /** The next connection attempt, which all waiting queries share. */
  #sharedProbe(): Promise<void> {
    this.#probe ??= this.#runProbe().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  async #runProbe(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#failedAt + this.#nextProbeMs - performance.now()));
    this.#nextProbeMs = PROBE_INTERVAL_MS;
    (await this.#pool.connect()).release();
  }

  #onFailure(error: unknown): void {
    this.#failedAt = performance.now();
    if (this.#unreachableReason === undefined) this.#options.log(unreachableText(error));
    this.#unreachableReason = unreachableText(error);
  }

  #onConnected(): void {
    if (this.#unreachableReason !== undefined) this.#options.log('the database can be reached again');
    this.#unreachableReason = undefined;
    this.#nextProbeMs = FIRST_PROBE_MS;
  }
}

const poolClosed = (): ConnectionFailed => new ConnectionFailed('the pool was closed', { sent: false });

/** A wrong password or database name. Another attempt cannot succeed. */
const isPermanent = (error: unknown): boolean => /^(28\w{3}|3D000)$/.test(sqlStateOf(error) ?? '');

/**
 * Whether the connection cannot be used again: the error is not from the server, or the server
 * closes the connection after it.
 */
function isLost(error: unknown): boolean {
  if (sqlStateOf(error) === undefined) return true;
  const severity = error instanceof Error && 'severity' in error ? error.severity : undefined;
  return severity === 'FATAL' || severity === 'PANIC';
}

const unreachableText = (error: unknown): string => `the database cannot be reached: ${textOf(error)}`;
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
