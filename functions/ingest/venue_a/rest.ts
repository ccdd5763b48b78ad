import { isObject } from '../feeds/parse.ts';
import { PaginationGuard, type RestClient } from '../feeds/rest.ts';

/** `milestones` is null when the response has no list of them. */
export type EventPage = { events: unknown[]; milestones: unknown[] | null; cursor: string | null };

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
  const cursor =
    isObject(response) && typeof response.cursor === 'string' && response.cursor !== '' ? response.cursor : null;
  const milestones = isObject(response) && Array.isArray(response.milestones) ? response.milestones : null;
  return { events: listOf(response, 'events'), milestones, cursor };
}

function listOf(response: unknown, key: string): unknown[] {
  const list = isObject(response) ? response[key] : undefined;
  if (!Array.isArray(list)) throw new Error(`The response of venue_a contains no list ${key}.`);
  return list;
}
