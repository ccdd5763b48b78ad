import type { CachedBody } from './cache.ts';
import type { ApiQueries } from './database.ts';

/** The bytes of one step. `expiresAt`: the end of the step, by the clock of the reader. */
export type Sample = { cached: CachedBody; asOf: string; expiresAt: number };

/** At least this long from an answer to the next query, also where the market clock runs fast. */
const MIN_HOLD_MS = 100;
const FAILURE_MS = 1_000;

/**
 * The sample in this isolate. Everyone may request it, without a key. All requests of a step share
 * one query, so a flood of requests reaches the database no more often. Without a database the
 * requests get ApiError 503 and no old prices: a cache in front may serve those for as long as
 * `Cache-Control` allows.
 */
export class SampleReader {
  readonly #queries: ApiQueries;
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;
  #reading: Promise<Sample> | undefined;
  #expiresAt = 0;

  constructor(queries: ApiQueries, now: () => number = () => performance.now()) {
    this.#queries = queries;
    this.#now = now;
  }

  async read(requestId: string): Promise<Sample> {
    if (this.#reading === undefined || this.#now() >= this.#expiresAt) {
      // Until the query ends, everyone waits for it.
      this.#expiresAt = Number.POSITIVE_INFINITY;
      this.#reading = this.#load(requestId);
    }
    return await this.#reading;
  }

  async #load(requestId: string): Promise<Sample> {
    // The step ends left_ms after a moment that is later than this one.
    const askedAt = this.#now();
    try {
      const { version, as_of, left_ms, body } = await this.#queries.sample(requestId);
      this.#expiresAt = Math.max(askedAt + left_ms, this.#now() + MIN_HOLD_MS);
      const cached = { version, body: new TextEncoder().encode(body), gzipped: undefined };
      return { cached, asOf: as_of, expiresAt: this.#expiresAt };
    } catch (error) {
      this.#expiresAt = this.#now() + FAILURE_MS;
      throw error;
    }
  }
}

/**
 * `Cache-Control` of a sample whose step ends in `leftMs`. A shared cache keeps it for a second at
 * least: with 0, all requests of the last second of each step would reach this service. It may also
 * serve this step while it fetches the next one (stale-while-revalidate, one step), and for 30 s
 * where this service does not answer (stale-if-error). `snapshot_at` and `X-As-Of` state the age.
 */
export function sampleCacheControl(leftMs: number): `public, max-age=${string}` {
  const seconds = Math.max(0, Math.floor(leftMs / 1000));
  const shared = Math.max(1, seconds);
  return `public, max-age=${seconds}, s-maxage=${shared}, stale-while-revalidate=5, stale-if-error=30`;
}
