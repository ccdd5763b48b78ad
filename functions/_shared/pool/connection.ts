import pg from 'pg';
import type { Address } from './address.ts';
import { NoAnswer, sqlStateOf, TooLate } from './failure.ts';
import { bound, readerOf, type Value } from './values.ts';

const keepAliveMs = 30_000;
/** After an error the server says at once that it is ready for more, or that it ends the connection. */
const verdictMs = 1_000;

/**
 * One connection to Postgres, never reopened: what was said on a broken one cannot reach another. One query at a time, so a backend that
 * dies takes one query with it.
 */
export class Connection {
  readonly openedAt = performance.now();
  readonly #client: pg.Client;
  readonly #onLost: (connection: Connection) => void;
  #ready = true;
  #lost = false;
  #verdict: () => void = () => {};

  private constructor(client: pg.Client, onLost: (connection: Connection) => void) {
    this.#client = client;
    this.#onLost = onLost;
    // For as long as it lives, and before it connects: an error that nobody hears would end the isolate.
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
    client.on('drain', () => {
      this.#ready = true;
      this.#verdict();
    });
  }

  /** @throws NoAnswer, or what the server says where trying again will not help (a wrong password, no such database) */
  static async open(options: {
    address: Address;
    name: string;
    limitMs: number;
    onLost: (connection: Connection) => void;
  }): Promise<Connection> {
    const client = new pg.Client({
      ...options.address,
      application_name: options.name,
      connectionTimeoutMillis: options.limitMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      types: { getTypeParser: readerOf as typeof pg.types.getTypeParser },
    });
    const connection = new Connection(client, options.onLost);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      void connection.close();
      if (refusesForGood.test(sqlStateOf(error) ?? '')) throw error;
      throw new NoAnswer(`the database cannot be reached: ${textOf(error)}`, { sent: false, cause: error });
    }
  }

  /** Nothing will come over it any more. */
  get lost(): boolean {
    return this.#lost;
  }

  /** @throws NoAnswer where it is not known what came of it, and then the connection is lost; else what the server refused */
  async run<Row>(text: string, values: readonly Value[], limitMs: number): Promise<Row[]> {
    this.#ready = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TooLate('the database did not answer in time', { sent: true })), limitMs);
    });
    try {
      const asked = values.length === 0 ? this.#client.query(text) : this.#client.query(text, values.map(bound));
      return (await Promise.race([asked, late])).rows as Row[];
    } catch (error) {
      if (!(error instanceof NoAnswer) && (await this.#isReady())) throw error;
      void this.close();
      if (error instanceof NoAnswer) throw error;
      throw new NoAnswer(`the connection was lost: ${textOf(error)}`, { sent: true, cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Says goodbye where nothing is under way, else breaks off. Resolves when it is gone, over a dead wire never. */
  async close(): Promise<void> {
    this.#lose();
    await this.#client.end();
  }

  /** Whether the server goes on after an error, or that was its last word. */
  async #isReady(): Promise<boolean> {
    if (!this.#ready && !this.#lost) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, verdictMs);
        this.#verdict = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#ready && !this.#lost;
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#verdict();
    this.#onLost(this);
  }
}

// Invalid authorization, no such database.
const refusesForGood = /^(28\w{3}|3D000)$/;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
