import { endpointCosts } from './schemas.ts';

/**
 * Tokens of the venue in one unit of our token bucket, which is one request of the usual cost. A
 * Basic key has 200 tokens a second (venues.md A7).
 */
const TOKENS_PER_UNIT = 10;

export const BATCH_PATH = '/markets/orderbooks';
export const SINGLE_PATH = '/markets/{ticker}/orderbook';

/**
 * What requests cost, by `GET /account/endpoint_costs`. It lists the endpoints whose cost is not
 * the default. All paths are without `/trade-api/v2`.
 *
 * The venue bills the items of a batch one by one where it lists the cost of a batch
 * (`/portfolio/events/orders/batched`: "2 tokens per order", rate_limits of 2026-08-22). The table
 * has no field for it, so the listed cost of the batch of order books is read as the cost of one
 * book. Read as the cost of the whole batch it would be too low by a factor of 100.
 */
export class EndpointCosts {
  readonly #defaultTokens: number;
  readonly #listed: readonly ListedCost[];

  constructor(defaultTokens = TOKENS_PER_UNIT, listed: readonly ListedCost[] = []) {
    this.#defaultTokens = defaultTokens;
    this.#listed = listed;
  }

  /** Null when the response cannot be read: a cost that is not known is not taken for zero. */
  static parse(response: unknown): EndpointCosts | null {
    const table = endpointCosts.safeParse(response);
    if (!table.success) return null;
    const listed = table.data.endpoint_costs
      .filter(({ method }) => method.toUpperCase() === 'GET')
      .map(({ path, cost }) => ({ pattern: patternOf(path), tokens: cost }));
    return new EndpointCosts(table.data.default_cost, listed);
  }

  /** The cost of one request in units of the bucket. */
  of(path: string): number {
    const listed = this.#listed.find(({ pattern }) => pattern.test(path));
    return (listed?.tokens ?? this.#defaultTokens) / TOKENS_PER_UNIT;
  }

  /** The cost of one book of a batch. Null when the batch costs as much as any other request. */
  get ofBatchItem(): number | null {
    const listed = this.#listed.find(({ pattern }) => pattern.source === BATCH_PATTERN.source);
    return listed === undefined ? null : listed.tokens / TOKENS_PER_UNIT;
  }

  /** The cost of a request with the usual cost. */
  get usual(): number {
    return this.#defaultTokens / TOKENS_PER_UNIT;
  }
}

type ListedCost = { pattern: RegExp; tokens: number };

/** A listed path as a pattern, with or without the root, with `:ticker` or `{ticker}`. */
function patternOf(path: string): RegExp {
  const own = path.replace(/^\/?trade-api\/v2/, '').replace(/\/$/, '');
  const parts = own
    .split('/')
    .map((part) => (/^(?::.+|\{.+\})$/.test(part) ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}

const BATCH_PATTERN = patternOf(BATCH_PATH);
