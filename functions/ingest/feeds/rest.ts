import { BodyOverLimit, readLimitedText, type TextLimits } from '../../_shared/limited_text.ts';
import { backoffDelay, type Runtime } from '../../_shared/runtime.ts';
import type { TokenBucket } from './bucket.ts';
import {
  ANSWER_LIMITS,
  LIMIT_DETAIL,
  type LimitFault,
  MAX_ANSWER_BYTES,
  MAX_CURSOR_CHARS,
  MAX_PAGES,
  MAX_ROWS,
  MAX_SWEEP_ROWS,
} from './limits.ts';

/**
 * A request that failed after all attempts. Codes: rest.status, rest.timeout, rest.network,
 * rest.not_json, rest.same_cursor, rest.redirect, rest.too_large, rest.too_deep, rest.too_many,
 * rest.endless. The message begins with the code, because logs and alerts print only the message.
 */
export class RestError extends Error {
  readonly code: string;
  readonly status: number | null;
  constructor(code: string, detail: string, status: number | null = null) {
    super(`${code}: ${detail}`);
    this.name = 'RestError';
    this.code = code;
    this.status = status;
  }
}

export type Query = Record<string, string | number | boolean | readonly string[]>;

export type RestOptions = {
  base: string;
  runtime: Runtime;
  bucket: TokenBucket;
  timeoutMs?: number;
  attempts?: number;
  /**
   * Headers that authenticate the request, for a venue that requires them. `path` starts at the
   * root and has no query.
   */
  sign?(method: string, path: string): Promise<Record<string, string>>;
  signal?: AbortSignal;
  /** Receives the length of each response, in characters. A CPU budget charges them. */
  onBody?: ((characters: number) => void) | undefined;
};

export type RequestOptions = {
  /** Units of the bucket that the request costs. */
  cost?: number;
  attempts?: number;
  /** Whether the request is sent without the headers of `sign`. */
  unsigned?: boolean;
};

/** Receives the status of every response, also of those that are retried. */
export type StatusListener = (status: number) => void;

const OK_LIMITS: TextLimits = { maxBytes: MAX_ANSWER_BYTES, json: ANSWER_LIMITS };
/** Another answer is not parsed; it may be a page of HTML. */
const ERROR_LIMITS: TextLimits = { maxBytes: MAX_ANSWER_BYTES };

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 8_000;

/**
 * JSON over HTTP with a rate limit, time-outs, and bounded back-off on 425, 429, 5xx and network
 * errors.
 */
export class RestClient {
  readonly #options: RestOptions;
  readonly #listeners: StatusListener[] = [];

  constructor(options: RestOptions) {
    this.#options = options;
  }

  onStatus(listener: StatusListener): void {
    this.#listeners.push(listener);
  }

  /**
   * @throws RestError after the last attempt, or at once on a status that a retry does not change
   */
  get(path: string, query: Query = {}, options: RequestOptions = {}): Promise<unknown> {
    return this.#request('GET', path, query, null, options);
  }

  post(path: string, body: unknown): Promise<unknown> {
    return this.#request('POST', path, {}, body, {});
  }

  async #request(method: string, path: string, query: Query, body: unknown, options: RequestOptions): Promise<unknown> {
    const url = new URL(this.#options.base.replace(/\/$/, '') + path);
    for (const [key, value] of Object.entries(query)) {
      if (Array.isArray(value)) for (const one of value) url.searchParams.append(key, one);
      else url.searchParams.set(key, String(value));
    }
    const attempts = options.attempts ?? this.#options.attempts ?? 5;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(method, url, body, options);
      if (outcome.ok) return outcome.value;
      if (!outcome.isRetryable || attempt + 1 >= attempts || this.#options.signal?.aborted) throw outcome.error;
      const wait = Math.max(
        outcome.waitMs,
        backoffDelay(attempt, FIRST_WAIT_MS, MAX_WAIT_MS, this.#options.runtime.random),
      );
      await this.#options.runtime.sleep(wait, this.#options.signal);
    }
  }

  async #attempt(method: string, url: URL, body: unknown, options: RequestOptions): Promise<Outcome> {
    await this.#options.bucket.take(options.cost ?? 1);
    const where = `${method} ${url.pathname}`;
    const { runtime, timeoutMs = 10_000, signal: stopping } = this.#options;
    const [answered, cut] = [new AbortController(), new AbortController()];
    let isTimeout = false;
    void runtime.sleep(timeoutMs, answered.signal).then(() => {
      if (answered.signal.aborted) return;
      isTimeout = true;
      cut.abort();
    });
    const signal = AbortSignal.any([cut.signal, ...(stopping ? [stopping] : [])]);
    let response: Response;
    let text: string;
    try {
      const headers: Record<string, string> = {
        accept: 'application/json',
        ...(options.unsigned ? {} : await this.#options.sign?.(method, url.pathname)),
      };
      if (body !== null) headers['content-type'] = 'application/json';
      response = await runtime.fetch(url, {
        method,
        headers,
        signal,
        // The signature would go to the host that a redirect names. With 'error' fetch would throw
        // the same TypeError as for a lost connection.
        redirect: 'manual',
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      });
      text = await readLimitedText(response, response.ok ? OK_LIMITS : ERROR_LIMITS);
      this.#options.onBody?.(text.length);
    } catch (cause) {
      // Ends the connection. A Deno with an inspector reads on after a cancel alone.
      cut.abort();
      if (cause instanceof BodyOverLimit) return overLimit(where, cause.fault);
      const detail = isTimeout ? `${where} timed out.` : `${where} failed: ${String(cause)}`;
      return {
        ok: false,
        isRetryable: true,
        waitMs: 0,
        error: new RestError(isTimeout ? 'rest.timeout' : 'rest.network', detail),
      };
    } finally {
      answered.abort();
    }
    for (const listener of this.#listeners) listener(response.status);
    if (response.status >= 300 && response.status < 400) {
      const error = new RestError('rest.redirect', `${where} answered with a redirect.`, response.status);
      return { ok: false, isRetryable: false, waitMs: 0, error };
    }
    if (!response.ok) {
      const isRetryable = response.status === 425 || response.status === 429 || response.status >= 500;
      const error = new RestError(
        'rest.status',
        `${where} answered ${response.status}: ${text.slice(0, 200)}`,
        response.status,
      );
      return { ok: false, isRetryable, waitMs: retryAfter(response), error };
    }
    try {
      return { ok: true, value: JSON.parse(text) };
    } catch {
      return {
        ok: false,
        isRetryable: true,
        waitMs: 0,
        error: new RestError('rest.not_json', `${where} did not answer with JSON.`),
      };
    }
  }
}

type Outcome = { ok: true; value: unknown } | { ok: false; isRetryable: boolean; waitMs: number; error: RestError };

/** Not tried again at once: each attempt would read up to the limit. The caller backs off. */
function overLimit(where: string, fault: LimitFault): Outcome {
  const error = new RestError(`rest.${fault}`, `The answer to ${where} ${LIMIT_DETAIL[fault]}.`);
  return { ok: false, isRetryable: false, waitMs: 0, error };
}

function retryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1000, 30_000) : 0;
}

/**
 * `rows`, if they are not more than an answer may have.
 * @throws RestError rest.too_many
 */
export function limitedRows(rows: unknown[], kind: keyof typeof MAX_ROWS): unknown[] {
  if (rows.length > MAX_ROWS[kind])
    throw new RestError('rest.too_many', `The answer lists ${rows.length} ${kind}, more than ${MAX_ROWS[kind]}.`);
  return rows;
}

/**
 * Remembers the cursors and ids of one sweep. A venue ignores a wrong cursor parameter and returns
 * page 1 for ever. Rows shift between pages, so a row may come twice.
 */
export class PaginationGuard {
  readonly #cursors = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #maxPages: number;

  constructor(maxPages = MAX_PAGES) {
    this.#maxPages = maxPages;
  }

  /**
   * @throws RestError rest.same_cursor when the venue returned this cursor before; rest.endless
   * when the list has more pages than a sweep may have, or its cursor is too long
   */
  next(cursor: unknown): string | null {
    if (typeof cursor !== 'string' || cursor === '') return null;
    if (this.#cursors.has(cursor))
      throw new RestError(
        'rest.same_cursor',
        `The cursor ${cursor.slice(0, 80)} came twice: the sweep would go round in a circle.`,
      );
    if (cursor.length > MAX_CURSOR_CHARS || this.#cursors.size + 1 >= this.#maxPages)
      throw new RestError('rest.endless', `The list does not end after ${this.#cursors.size + 1} pages.`);
    this.#cursors.add(cursor);
    return cursor;
  }

  /**
   * Whether this id is new in the sweep.
   * @throws RestError rest.endless when the sweep has more rows than it may have
   */
  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    if (this.#ids.size >= MAX_SWEEP_ROWS)
      throw new RestError('rest.endless', `The list does not end after ${MAX_SWEEP_ROWS} rows.`);
    this.#ids.add(id);
    return true;
  }
}
