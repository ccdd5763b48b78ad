import { isObject, isoTime } from '../feeds/parse.ts';
import { PaginationGuard, type RestClient } from '../feeds/rest.ts';

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
export const MAX_TICKERS = 100;

/** The REST requests of ingest to venue_a. */
export class VenueARest {
  readonly #client: RestClient;

  constructor(client: RestClient) {
    this.#client = client;
  }

  async series(): Promise<unknown[]> {
    return listOf(await this.#client.get('/series', { include_product_metadata: true }), 'series');
  }

  /**
   * One page of events with an open market, with their markets and the milestones that hold their
   * start. Half the venue's page limit, to save memory.
   */
  async events(cursor: string | null, limit = 100): Promise<EventPage> {
    const response = await this.#client.get('/events', {
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
    const response = await this.#client.get('/events', {
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
    const response = await this.#client.get('/events', {
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
    const response = await this.#client.get('/historical/cutoff');
    return isoTime(isObject(response) ? response.market_settled_ts : null);
  }

  /**
   * One page of markets that were settled before the cutoff. The venue ignores limits of the
   * closing time here.
   */
  async historicalMarkets(query: HistoricalMarketsQuery): Promise<MarketPage> {
    const response = await this.#client.get('/historical/markets', {
      ...('series' in query ? { series_ticker: query.series } : { event_ticker: query.event }),
      mve_filter: 'exclude',
      limit: query.limit ?? 1000,
      ...(query.cursor === null ? {} : { cursor: query.cursor }),
    });
    return { markets: listOf(response, 'markets'), cursor: cursorOf(response) };
  }

  /** All milestones, for a page of events that came without them. */
  async milestones(): Promise<unknown[]> {
    const all: unknown[] = [];
    const guard = new PaginationGuard();
    let cursor: string | null = null;
    do {
      const response = await this.#client.get('/milestones', { limit: 500, ...(cursor === null ? {} : { cursor }) });
      all.push(...listOf(response, 'milestones'));
      cursor = guard.next(isObject(response) ? response.cursor : null);
    } while (cursor !== null);
    return all;
  }

  /**
   * Whether the exchange trades. Null when the response does not contain it. The status of single
   * markets is in each market.
   */
  async isTrading(): Promise<boolean | null> {
    const response = await this.#client.get('/exchange/status');
    const trading = isObject(response) ? response.trading_active : undefined;
    return typeof trading === 'boolean' ? trading : null;
  }

  /** Books of up to 100 tickers. */
  async books(tickers: readonly string[]): Promise<unknown[]> {
    return listOf(await this.#client.get('/markets/orderbooks', { tickers }), 'orderbooks');
  }
}

function pageOf(response: unknown): EventPage {
  const milestones = isObject(response) && Array.isArray(response.milestones) ? response.milestones : null;
  return { events: listOf(response, 'events'), milestones, cursor: cursorOf(response) };
}

/** The cursor of the next page. The last page has an empty one, or none. */
function cursorOf(response: unknown): string | null {
  const cursor = isObject(response) ? response.cursor : null;
  return typeof cursor === 'string' && cursor !== '' ? cursor : null;
}

function listOf(response: unknown, key: string): unknown[] {
  const list = isObject(response) ? response[key] : undefined;
  if (!Array.isArray(list)) throw new Error(`The response of venue_a contains no list ${key}.`);
  return list;
}
