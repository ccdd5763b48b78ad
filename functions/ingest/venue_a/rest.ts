import { MAX_PAGES_IN_MEMORY, type MAX_ROWS } from '../feeds/limits.ts';
import { isObject, isoTime } from '../feeds/parse.ts';
import {
  limitedRows,
  PaginationGuard,
  type Query,
  type RequestOptions,
  type RestClient,
  RestError,
} from '../feeds/rest.ts';
import type { AccessKey } from './access_key.ts';
import { BookReader } from './book_reader.ts';
import { EndpointCosts } from './endpoint_costs.ts';

/** `milestones` is null when the response has no list of them. */
export type EventPage = { events: unknown[]; milestones: unknown[] | null; cursor: string | null };

/** One page of the settled events of a series. `closedSince` is ISO 8601. */
export type SettledEventsQuery = { series: string; closedSince: string; cursor: string | null; limit?: number };
/** One page of the historical markets of a series or of an event. The venue accepts one of both. */
export type HistoricalMarketsQuery = ({ series: string } | { event: string }) & {
  cursor: string | null;
  limit?: number;
};
export type MarketPage = { markets: unknown[]; cursor: string | null };

/**
 * Requests per second. The limit without a key is not documented; clients stay at 2 to 10. A Basic
 * key may read 20 times a second (venues.md A7).
 */
export const RATE_WITHOUT_KEY_PER_SECOND = 5;
export const RATE_WITH_KEY_PER_SECOND = 20;

/** A refused key leaves the rate of a client without a key, so each request counts as several. */
const UNSIGNED_COST = RATE_WITH_KEY_PER_SECOND / RATE_WITHOUT_KEY_PER_SECOND;

/** The costs are read again after this time, and after the second one when the read failed. */
const COSTS_REFRESH_MS = 3_600_000;
const COSTS_RETRY_MS = 600_000;

export type VenueARestOptions = {
  /** The key with whose headers the client signs. */
  key?: AccessKey | null;
  /** Requests that the bucket of the client holds at most. */
  burst?: number;
  /** Real time, epoch ms. */
  now?(): number;
  log?(line: string): void;
};

/** The REST requests of ingest to venue_a. */
export class VenueARest {
  readonly #client: RestClient;
  readonly #key: AccessKey | null;
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  readonly #books: BookReader;
  #costs = new EndpointCosts();
  #costsAt = Number.NEGATIVE_INFINITY;

  constructor(client: RestClient, options: VenueARestOptions = {}) {
    this.#client = client;
    this.#key = options.key ?? null;
    this.#now = options.now ?? Date.now;
    this.#log = options.log ?? (() => {});
    this.#books = new BookReader({
      get: (path, query, request) => this.#get(path, query as Query, request),
      costs: () => this.#costs,
      burst: options.burst ?? Number.POSITIVE_INFINITY,
      now: this.#now,
      log: this.#log,
    });
  }

  async series(): Promise<unknown[]> {
    return listOf(await this.#get('/series', { include_product_metadata: true }), 'series');
  }

  /** One series, as a list. Empty when the venue does not have it. */
  async oneSeries(ticker: string): Promise<unknown[]> {
    try {
      const response = await this.#get(`/series/${encodeURIComponent(ticker)}`);
      return isObject(response) && isObject(response.series) ? [response.series] : [];
    } catch (error) {
      if (error instanceof RestError && error.status === 404) return [];
      throw error;
    }
  }

  /**
   * One page of events with an open market, with their markets and the milestones that hold their
   * start. Half the venue's page limit, to save memory.
   */
  async events(cursor: string | null, limit = 100): Promise<EventPage> {
    const response = await this.#get('/events', {
      status: 'open',
      with_nested_markets: true,
      with_milestones: true,
      limit,
      ...(cursor === null ? {} : { cursor }),
    });
    return pageOf(response);
  }

  /** Events by ticker, in any state. */
  async eventsByTicker(tickers: readonly string[]): Promise<EventPage> {
    const response = await this.#get('/events', {
      tickers: tickers.join(','),
      with_nested_markets: true,
      with_milestones: true,
      limit: 200,
    });
    const page = pageOf(response);
    const wanted = new Set(tickers);
    return {
      ...page,
      events: page.events.filter((event) => isObject(event) && wanted.has(String(event.event_ticker))),
    };
  }

  /**
   * One page of events of a series whose markets are paid. An event whose markets are older than
   * the historical cutoff comes without them (venues.md G10).
   */
  async settledEvents({ series, closedSince, cursor, limit = 100 }: SettledEventsQuery): Promise<EventPage> {
    const response = await this.#get('/events', {
      series_ticker: series,
      status: 'settled',
      with_nested_markets: true,
      with_milestones: true,
      min_close_ts: Math.floor(Date.parse(closedSince) / 1000),
      limit,
      ...(cursor === null ? {} : { cursor }),
    });
    return pageOf(response);
  }

  /**
   * Markets that were settled before this time are only in `historicalMarkets`. ISO 8601; null when
   * the response does not contain it.
   */
  async historicalCutoff(): Promise<string | null> {
    const response = await this.#get('/historical/cutoff');
    return isoTime(isObject(response) ? response.market_settled_ts : null);
  }

  /**
   * One page of markets that were settled before the cutoff. The venue ignores limits of the
   * closing time here.
   */
  async historicalMarkets(query: HistoricalMarketsQuery): Promise<MarketPage> {
    const response = await this.#get('/historical/markets', {
      ...('series' in query ? { series_ticker: query.series } : { event_ticker: query.event }),
      mve_filter: 'exclude',
      limit: query.limit ?? 1000,
      ...(query.cursor === null ? {} : { cursor: query.cursor }),
    });
    return { markets: listOf(response, 'markets'), cursor: cursorOf(response) };
  }

  /** All markets of an event that was settled before the cutoff. Null when they cannot be read. */
  async marketsOfPastEvent(event: string): Promise<unknown[] | null> {
    const all: unknown[] = [];
    const guard = new PaginationGuard(MAX_PAGES_IN_MEMORY);
    try {
      let cursor: string | null = null;
      do {
        const page: MarketPage = await this.historicalMarkets({ event, cursor });
        all.push(...page.markets);
        cursor = guard.next(page.cursor);
      } while (cursor !== null);
      return all;
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      this.#log(`venue_a: the historical markets of ${event} could not be fetched: ${error.message}`);
      return null;
    }
  }

  /** All milestones, for a page of events that came without them. */
  async milestones(): Promise<unknown[]> {
    const all: unknown[] = [];
    const guard = new PaginationGuard(MAX_PAGES_IN_MEMORY);
    let cursor: string | null = null;
    do {
      const response = await this.#get('/milestones', { limit: 500, ...(cursor === null ? {} : { cursor }) });
      all.push(...listOf(response, 'milestones'));
      cursor = guard.next(isObject(response) ? response.cursor : null);
    } while (cursor !== null);
    return all;
  }

  /**
   * The state of the exchange, for `TradingStatus`. The status of single markets is in each market.
   */
  async exchangeStatus(): Promise<unknown> {
    return await this.#get('/exchange/status');
  }

  /** The books of these tickers. Tickers that the venue does not know are left out. */
  async books(tickers: readonly string[]): Promise<unknown[]> {
    await this.#refreshCosts();
    return await this.#books.read(tickers);
  }

  /** How many books to ask for at once. */
  get maxBooks(): number {
    return this.#books.maxBooks;
  }

  /** How many books to ask for at once in the background. */
  get maxAuditBooks(): number {
    return this.#books.maxAuditBooks;
  }

  /** Whether books are read one by one. */
  get readsSingleBooks(): boolean {
    return this.#books.isSingle;
  }

  /**
   * Whether the venue refuses the key, by a request that no one may send without a key. Null when
   * that could not be found out.
   */
  async isKeyRefused(): Promise<boolean | null> {
    if (!this.#key) return null;
    if (!this.#key.isUsable) return true;
    try {
      await this.#client.get('/account/limits', {}, { attempts: 1 });
      return false;
    } catch (error) {
      return isUnauthorized(error) ? true : null;
    }
  }

  /** With a key, the venue lists what each request costs. The usual cost holds until then. */
  async #refreshCosts(): Promise<void> {
    if (!this.#key?.isUsable || this.#now() < this.#costsAt) return;
    this.#costsAt = this.#now() + COSTS_RETRY_MS;
    try {
      const costs = EndpointCosts.parse(await this.#get('/account/endpoint_costs'));
      if (costs === null) throw new Error('the response has no costs');
      this.#costs = costs;
      this.#costsAt = this.#now() + COSTS_REFRESH_MS;
    } catch (error) {
      this.#log(`venue_a: the costs of the endpoints could not be fetched: ${String(error)}`);
    }
  }

  /**
   * Sends a request. When the venue answers 401 to a signed request, sends it again unsigned. If
   * that one passes, the venue refuses the key and not the request, so further requests are
   * unsigned.
   */
  async #get(path: string, query: Query = {}, options: RequestOptions = {}): Promise<unknown> {
    const isSigned = this.#key?.isUsable === true;
    const cost = options.cost ?? this.#costs.of(path);
    const request = { ...options, cost: this.#key !== null && !isSigned ? cost * UNSIGNED_COST : cost };
    try {
      const response = await this.#client.get(path, query, request);
      if (isSigned) this.#key?.accept('rest');
      return response;
    } catch (error) {
      if (!isSigned || !isUnauthorized(error)) throw error;
      const response = await this.#client.get(path, query, { ...request, unsigned: true });
      this.#key?.refuse('401', 'rest');
      this.#log(`venue_a: the venue refuses the key (401 on ${path}); requests are unsigned`);
      return response;
    }
  }
}

const isUnauthorized = (error: unknown): boolean => error instanceof RestError && error.status === 401;

function pageOf(response: unknown): EventPage {
  const milestones =
    isObject(response) && Array.isArray(response.milestones) ? limitedRows(response.milestones, 'milestones') : null;
  return { events: listOf(response, 'events'), milestones, cursor: cursorOf(response) };
}

/** The cursor of the next page. The last page has an empty one, or none. */
function cursorOf(response: unknown): string | null {
  const cursor = isObject(response) ? response.cursor : null;
  return typeof cursor === 'string' && cursor !== '' ? cursor : null;
}

function listOf(response: unknown, key: keyof typeof MAX_ROWS): unknown[] {
  const list = isObject(response) ? response[key] : undefined;
  if (!Array.isArray(list)) throw new Error(`The response of venue_a contains no list ${key}.`);
  return limitedRows(list, key);
}
