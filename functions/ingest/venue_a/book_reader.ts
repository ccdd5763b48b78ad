import { isObject } from '../feeds/parse.ts';
import { limitedRows, type RequestOptions, RestError } from '../feeds/rest.ts';
import { BATCH_PATH, type EndpointCosts, SINGLE_PATH } from './endpoint_costs.ts';

/** The most books of one batch that the venue accepts (venues.md A2). */
export const MAX_TICKERS = 100;
/**
 * Books that a caller should ask for at once while they are read one by one, so that the first is
 * not old when the last has arrived: 10 take half a second with a Basic key.
 */
const MAX_SINGLES = 10;
/** A refused batch is tried again after this time. A key or a permission may have changed. */
const BATCH_RETRY_MS = 300_000;
/** A smaller batch grows again after this time without 429. */
const GROW_MS = 60_000;
/** Attempts of one batch. After 429 twice a smaller batch is better than another wait. */
const BATCH_ATTEMPTS = 2;
/** Statuses after which the batch is not used: it needs a key, or does not exist. */
const REFUSED = [401, 403, 404, 405];

export type BookReaderOptions = {
  get(path: string, query: { tickers?: readonly string[] }, options: RequestOptions): Promise<unknown>;
  costs(): EndpointCosts;
  /** Units that the bucket holds at most. */
  burst: number;
  /** Real time, epoch ms. */
  now(): number;
  log(line: string): void;
};

/**
 * Reads order books over REST: in batches of up to 100, or one by one (venues.md G5). The batch
 * lists key security in the venue's OpenAPI and may be refused. It may also be billed book by book,
 * and 100 books then cost more than the bucket of a Basic key ever holds. So:
 * - a batch that is refused is replaced by single books for five minutes
 * - a batch that gets 429 twice is halved, and its books are charged one by one from then on
 * - where the costs name a price for the batch, it carries what the bucket can pay at once
 */
export class BookReader {
  readonly #options: BookReaderOptions;
  /** Real time until which books are read one by one. */
  #singleUntil = 0;
  /** Books per batch, as far as 429 limits it. */
  #batch = MAX_TICKERS;
  #shrunkAt = 0;

  constructor(options: BookReaderOptions) {
    this.#options = options;
  }

  get isSingle(): boolean {
    const item = this.#options.costs().ofBatchItem;
    const isDearer = item !== null && item > this.#options.costs().of(SINGLE_PATH);
    return isDearer || this.#options.now() < this.#singleUntil;
  }

  /** How many books to ask for at once. */
  get maxBooks(): number {
    return this.isSingle ? MAX_SINGLES : this.#batchSize();
  }

  /**
   * How many books to ask for at once in the background. Where each book is billed, the four
   * comparisons a second of a feed take a fifth of the rate.
   */
  get maxAuditBooks(): number {
    const costs = this.#options.costs();
    const isFlat = !this.isSingle && costs.ofBatchItem === null && this.#batch === MAX_TICKERS;
    if (isFlat) return MAX_TICKERS;
    // The bucket holds half a second: a tenth of it, four times a second, is a fifth of the rate.
    const cost = this.isSingle ? costs.of(SINGLE_PATH) : (costs.ofBatchItem ?? costs.usual);
    const share = cost === 0 ? MAX_TICKERS : Math.floor((this.#options.burst * 0.1) / cost);
    return Math.max(1, Math.min(this.maxBooks, share));
  }

  /** The books of these tickers. Tickers that the venue does not know are left out. */
  async read(tickers: readonly string[]): Promise<unknown[]> {
    const books: unknown[] = [];
    for (let at = 0; at < tickers.length; ) {
      const { isSingle } = this;
      const part = tickers.slice(at, at + (isSingle ? 1 : this.#batchSize()));
      try {
        books.push(...(isSingle ? await this.#readOne(part[0] ?? '') : await this.#readBatch(part)));
        at += part.length;
      } catch (error) {
        if (isSingle || !this.#onBatchError(error, part.length)) throw error;
      }
    }
    return books;
  }

  async #readBatch(tickers: readonly string[]): Promise<unknown[]> {
    const options = { cost: this.#costOfBatch(tickers.length), attempts: BATCH_ATTEMPTS };
    const response = await this.#options.get(BATCH_PATH, { tickers }, options);
    const list = isObject(response) ? response.orderbooks : undefined;
    if (!Array.isArray(list)) throw new Error('The response of venue_a contains no list orderbooks.');
    return limitedRows(list, 'books');
  }

  /** A single book has no ticker. It gets the one that was asked for. */
  async #readOne(ticker: string): Promise<unknown[]> {
    const path = SINGLE_PATH.replace('{ticker}', encodeURIComponent(ticker));
    try {
      const response = await this.#options.get(path, {}, {});
      return [{ ticker, ...(isObject(response) ? { orderbook_fp: response.orderbook_fp } : {}) }];
    } catch (error) {
      if (error instanceof RestError && error.status === 404) return [];
      throw error;
    }
  }

  /** Returns whether the books are to be read in another way now. */
  #onBatchError(error: unknown, size: number): boolean {
    const status = error instanceof RestError ? error.status : null;
    const now = this.#options.now();
    if (status !== null && REFUSED.includes(status)) {
      this.#singleUntil = now + BATCH_RETRY_MS;
      this.#options.log(`venue_a: batches of books are refused (${status}); books are read one by one`);
      return true;
    }
    if (status !== 429 || size <= 1) return false;
    this.#batch = Math.ceil(size / 2);
    this.#shrunkAt = now;
    this.#options.log(`venue_a: a batch of ${size} books got 429 twice; a batch now has ${this.#batch}`);
    return true;
  }

  #batchSize(): number {
    const now = this.#options.now();
    if (this.#batch < MAX_TICKERS && now - this.#shrunkAt >= GROW_MS) {
      this.#batch = Math.min(MAX_TICKERS, this.#batch * 2);
      this.#shrunkAt = now;
    }
    const item = this.#options.costs().ofBatchItem;
    const payable = item === null || item === 0 ? MAX_TICKERS : Math.floor(this.#options.burst / item);
    return Math.max(1, Math.min(this.#batch, payable));
  }

  /** In units of the bucket. A batch that had to shrink is billed book by book, listed or not. */
  #costOfBatch(books: number): number {
    const costs = this.#options.costs();
    if (costs.ofBatchItem !== null) return books * costs.ofBatchItem;
    return costs.usual * (this.#batch < MAX_TICKERS ? books : 1);
  }
}
