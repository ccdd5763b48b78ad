import { tagged } from '../http/request_id.ts';
import { type Address, addressOf } from './address.ts';
import { Connection } from './connection.ts';
import { NoAnswer, TooLate } from './failure.ts';
import type { Value } from './values.ts';

export type PoolOptions = {
  /** Of a role of ours, through the transaction-mode pooler when hosted: one statement is one transaction, nothing is prepared. */
  url: string;
  /** As the database lists its connections (application_name). */
  name: string;
  most: number;
  /** How long a query may take, its wait for a connection included, ms. */
  limitMs: number;
  /** Names what its statements belong to, where all of them belong to one call: see `tagged`. */
  requestId?: string | undefined;
  /** Is told when the database goes out of reach, and when it is back. */
  log(line: string): void;
};

type Waiter = {
  since: number;
  /** When the first attempt to reach the database failed while this one waited: it is refused with the next. */
  failedAt: number | undefined;
  take(connection: Connection): void;
  refuse(error: unknown): void;
};

const connectMs = 5_000;
const retryMs = 200;
const probeMs = 1_000;
const idleMs = 60_000;
/** A backend's memory only grows. */
const oldMs = 30 * 60_000;

/**
 * A function's few connections. A query gets its rows, what the server refused, or NoAnswer within its time; none is sent twice. Connections
 * that break are forgotten and others opened when they are needed, so it serves again as soon as the database does.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #address: Address;
  /** Those at rest, and since when; the one that rests longest first. */
  readonly #idle: { connection: Connection; since: number }[] = [];
  /** One timer for all of them: to make and clear one with each query is a part of what a query costs. */
  #sweep: ReturnType<typeof setTimeout> | undefined;
  readonly #busy = new Set<Connection>();
  readonly #waiting = new Set<Waiter>();
  #opening = 0;
  /** Why the database is out of reach, while it is. */
  #away: string | undefined;
  #notBefore = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  #onQuiet: () => void = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#address = addressOf(options.url);
  }

  /** A statement whose `${…}` are bound. */
  async sql<Row>(parts: TemplateStringsArray, ...values: readonly Value[]): Promise<Row[]> {
    return await this.query<Row>(
      parts.reduce((text, part, place) => `${text}$${place}${part}`),
      values,
    );
  }

  /** One statement, with `values` for $1, $2 and so on. @throws NoAnswer, or what the server refused with its SQLSTATE as `code` */
  async query<Row>(
    text: string,
    values: readonly Value[] = [],
    limitMs: number = this.#options.limitMs,
  ): Promise<Row[]> {
    const ends = performance.now() + limitMs;
    const connection = this.#takeIdle() ?? (await this.#wait(limitMs));
    this.#busy.add(connection);
    try {
      return await connection.run<Row>(
        tagged(text, this.#options.requestId),
        values,
        Math.max(1, ends - performance.now()),
      );
    } catch (error) {
      // Its network may be gone without a word, and then theirs is.
      if (error instanceof TooLate) void this.#closeIdle();
      throw error;
    } finally {
      this.#busy.delete(connection);
      this.#give(connection);
    }
  }

  /** Refuses what waits and all that comes; what is under way may take until `graceMs` are over. */
  async end(graceMs: number): Promise<void> {
    this.#ended = true;
    this.#stopRetry();
    for (const waiter of this.#waiting) waiter.refuse(new NoAnswer('the pool was closed', { sent: false }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    const quiet = new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
    const goodbyes = this.#closeIdle();
    if (this.#busy.size > 0) await Promise.race([quiet, over]);
    for (const connection of this.#busy) goodbyes.push(connection.close());
    await Promise.race([Promise.all(goodbyes), over]);
    clearTimeout(timer);
  }

  #takeIdle(): Connection | undefined {
    return this.#idle.pop()?.connection;
  }

  #wait(limitMs: number): Promise<Connection> {
    if (this.#ended) throw new NoAnswer('the pool was closed', { sent: false });
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        since: performance.now(),
        failedAt: undefined,
        take(connection) {
          done();
          resolve(connection);
        },
        refuse(error) {
          done();
          reject(error);
        },
      };
      const late = (): void =>
        waiter.refuse(new NoAnswer(this.#away ?? 'no connection was free in time', { sent: false }));
      const timer = setTimeout(late, limitMs);
      this.#waiting.add(waiter);
      this.#reach();
    });
  }

  /** Opens what those who wait need, within bounds. While the database is away, one attempt a second. */
  #reach(): void {
    if (this.#ended || this.#retry !== undefined || this.#waiting.size === 0) return;
    const rest = this.#notBefore - performance.now();
    if (rest <= 0) {
      const wanted = this.#away === undefined ? this.#waiting.size - this.#opening : 1;
      for (let left = Math.min(wanted, this.#options.most - this.#size); left > 0; left -= 1) void this.#open();
      if (this.#away === undefined) return;
      this.#notBefore = performance.now() + probeMs;
    }
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#reach();
    }, this.#notBefore - performance.now());
  }

  get #size(): number {
    return this.#opening + this.#busy.size + this.#idle.length;
  }

  async #open(): Promise<void> {
    const began = performance.now();
    let counts = true;
    const uncount = (): void => {
      if (counts) this.#opening -= 1;
      counts = false;
    };
    this.#opening += 1;
    // It may still come, but others do not wait for it.
    const slow = setTimeout(() => {
      uncount();
      this.#lose('the database cannot be reached: it does not answer');
      this.#reach();
    }, probeMs);
    try {
      const connection = await Connection.open({
        address: this.#address,
        name: this.#options.name,
        limitMs: connectMs,
        onLost: (lost) => this.#forget(lost),
      });
      uncount();
      this.#reached();
      this.#give(connection);
    } catch (error) {
      uncount();
      this.#failed(error, began);
    } finally {
      clearTimeout(slow);
    }
  }

  #lose(why: string): void {
    if (this.#away === undefined) this.#options.log(why);
    this.#away = why;
  }

  #reached(): void {
    if (this.#away === undefined) return;
    this.#options.log('the database is back');
    this.#away = undefined;
    this.#notBefore = 0;
    this.#stopRetry();
  }

  #stopRetry(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /** What was never sent is tried once more: whoever waits is refused with the second attempt that fails. */
  #failed(error: unknown, began: number): void {
    const now = performance.now();
    this.#lose(error instanceof Error ? error.message : String(error));
    this.#notBefore = now + retryMs;
    this.#stopRetry();
    for (const waiter of this.#waiting) {
      if (waiter.failedAt === undefined) waiter.failedAt = now;
      else if (began >= waiter.failedAt) waiter.refuse(error);
    }
    this.#reach();
  }

  /** Hands a connection on: to who waits longest, or to rest. */
  #give(connection: Connection): void {
    const [next] = this.#waiting;
    const old = performance.now() - connection.openedAt > oldMs;
    if (connection.lost || old || this.#ended || this.#size >= this.#options.most) void connection.close();
    else if (next) {
      this.#busy.add(connection);
      next.take(connection);
    } else {
      this.#idle.push({ connection, since: performance.now() });
      this.#sweep ??= setTimeout(() => this.#closeRested(), idleMs);
    }
    if (this.#busy.size === 0) this.#onQuiet();
    this.#reach();
  }

  /** One that rested is gone. */
  #forget(connection: Connection): void {
    const place = this.#idle.findIndex((idle) => idle.connection === connection);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  /** Closes those that have rested for their time, and looks again when the next one will have. */
  #closeRested(): void {
    const rested = performance.now() - idleMs;
    for (const { connection, since } of [...this.#idle]) if (since <= rested) void connection.close();
    const [next] = this.#idle;
    this.#sweep = next && setTimeout(() => this.#closeRested(), next.since - rested);
  }

  #closeIdle(): Promise<void>[] {
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
    return [...this.#idle].map(({ connection }) => connection.close());
  }
}
