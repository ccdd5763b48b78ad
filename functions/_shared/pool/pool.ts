import pg from 'pg';
import { withRequestId } from '../http/request_id.ts';
import { Deadline } from './deadline.ts';
import { ConnectionFailed, sqlStateOf } from './failure.ts';
import { parseDatabaseUrl } from './url.ts';
import { bindValue, rowReader, type SqlValue } from './values.ts';

export type PoolOptions = {
  /** Of a role of ours, through the transaction-mode pooler when hosted: one statement is one transaction, nothing is prepared. */
  url: string;
  /** The application_name of its connections. */
  name: string;
  /** Maximum number of connections. */
  maxConnections: number;
  /** Deadline of a query in ms, its wait for a connection included. */
  limitMs: number;
  /** The request that every statement of this pool belongs to, where all belong to one: see `tagged`. */
  requestId?: string | undefined;
  /** Gets one line when the database becomes unreachable, and one when it is back. */
  log(line: string): void;
};

const CONNECT_TIMEOUT_MS = 5_000;
const FIRST_PROBE_MS = 200;
const PROBE_INTERVAL_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const IDLE_MS = 60_000;
/** The memory of a backend only grows. */
const LIFETIME_SECONDS = 30 * 60;

/** In the pool's own options, this timeout would also bound the wait in its queue, for which each query has its own deadline. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    // The pool does not listen while a connection is checked out, and an error without a listener would end the process.
    this.on('error', () => {});
  }
}

/**
 * The pool of `pg` with a deadline for each query. A query ends with its rows, with the server's error, or with NoAnswer, and is never
 * sent twice. While the database is unreachable, all waiting queries share one probe a second.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #pool: pg.Pool;
  readonly #waiting = new Set<Deadline>();
  readonly #running = new Set<pg.PoolClient>();
  /** When each connection was last returned to the pool. */
  readonly #returnedAt = new WeakMap<pg.PoolClient, number>();
  /** A connection that was returned before this moment is closed instead of used. */
  #distrustedBefore = 0;
  /** Why the database is unreachable, while it is. */
  #unreachableReason: string | undefined;
  #failedAt = 0;
  /** The first probe follows soon, later ones once a second. */
  #nextProbeMs = FIRST_PROBE_MS;
  #probe: Promise<void> | undefined;
  #end: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
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
    // The pool has already removed the idle connection that failed.
    this.#pool.on('error', () => {});
  }

  /** A statement whose `${…}` are bound. */
  async sql<Row>(parts: TemplateStringsArray, ...values: readonly SqlValue[]): Promise<Row[]> {
    return await this.query<Row>(
      parts.reduce((text, part, place) => `${text}$${place}${part}`),
      values,
    );
  }

  /** One statement, with `values` for $1, $2 and so on. @throws NoAnswer, or the server's error with its SQLSTATE as `code` */
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
      return await this.#run<Row>(client, deadline, withRequestId(text, this.#options.requestId), values);
    } finally {
      deadline.clear();
    }
  }

  /** Rejects waiting and later queries. Running queries may take until `graceMs` are over. */
  async end(graceMs: number): Promise<void> {
    this.#end ??= this.#pool.end();
    for (const waiting of this.#waiting) waiting.fail(poolClosed());
    const grace = new Deadline(graceMs, poolClosed);
    await grace.within(this.#end).catch(() => {});
    grace.clear();
    // Ends the connection at once, since a query is running on it.
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
      // The network may be gone without a word, and then the idle connections are dead as well.
      if (error instanceof ConnectionFailed) this.#distrustedBefore = performance.now();
      else if (lost)
        throw new ConnectionFailed(`the connection was lost: ${textOf(error)}`, { sent: true, cause: error });
      throw error;
    } finally {
      this.#running.delete(client);
      this.#returnedAt.set(client, performance.now());
      client.release(lost);
    }
  }

  /** A connection for one query. An attempt that fails has sent nothing, so there is a second one, by the shared probe. */
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

  /** A connection out of the pool that can be trusted. One that comes too late goes back. */
  async #checkOut(deadline: Deadline): Promise<pg.PoolClient> {
    for (;;) {
      const taking = this.#pool.connect();
      const client = await deadline.within(taking).catch((error) => {
        if (error instanceof ConnectionFailed) taking.then((late) => late.release()).catch(() => {});
        throw error;
      });
      if ((this.#returnedAt.get(client) ?? Number.POSITIVE_INFINITY) >= this.#distrustedBefore) return client;
      client.release(true);
    }
  }

  /** The next attempt to reach the database, which all waiting queries share. */
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
    if (this.#unreachableReason !== undefined) this.#options.log('the database is back');
    this.#unreachableReason = undefined;
    this.#nextProbeMs = FIRST_PROBE_MS;
  }
}

const poolClosed = (): ConnectionFailed => new ConnectionFailed('the pool was closed', { sent: false });

/** A wrong password or database name, which another attempt does not mend. */
const isPermanent = (error: unknown): boolean => /^(28\w{3}|3D000)$/.test(sqlStateOf(error) ?? '');

/** Whether the connection cannot be used again: no error of the server, or one after which it closes the connection. */
function isLost(error: unknown): boolean {
  if (sqlStateOf(error) === undefined) return true;
  const severity = error instanceof Error && 'severity' in error ? error.severity : undefined;
  return severity === 'FATAL' || severity === 'PANIC';
}

const unreachableText = (error: unknown): string => `the database cannot be reached: ${textOf(error)}`;
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
