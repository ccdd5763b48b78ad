import { isObject } from '../feeds/parse.ts';
import { PaginationGuard, type RestClient } from '../feeds/rest.ts';

/** `milestones` is null where the answer came without any list of them. */
export type EventPage = { events: unknown[]; milestones: unknown[] | null; cursor: string | null };

/** Unauthenticated limits are not documented and clients stay at 2 to 10 a second; Basic keys have 20 reads a second (venues.md A7). */
export const RATE_WITHOUT_KEY_PER_SECOND = 5;
export const RATE_WITH_KEY_PER_SECOND = 20;
export const MAX_TICKERS = 100;

/** The reads of venue_a that ingest makes. */
export class VenueARest {
  readonly #client: RestClient;

  constructor(client: RestClient) {
    this.#client = client;
  }

  async series(): Promise<unknown[]> {
    return listOf(await this.#client.get('/series', { include_product_metadata: true }), 'series');
  }

  /** One page of events with an open market, their markets and the milestones that know their start. Half the venue's limit: memory is short. */
  async events(cursor: string | null, limit = 100): Promise<EventPage> {
    const answer = await this.#client.get('/events', {
      status: 'open',
      with_nested_markets: true,
      with_milestones: true,
      limit,
      ...(cursor === null ? {} : { cursor }),
    });
    return pageOf(answer);
  }

  /** Named events in whatever state they are. */
  async eventsByTicker(tickers: readonly string[]): Promise<EventPage> {
    const answer = await this.#client.get('/events', {
      tickers: tickers.join(','),
      with_nested_markets: true,
      with_milestones: true,
      limit: 200,
    });
    const page = pageOf(answer);
    const wanted = new Set(tickers);
    return {
      ...page,
      events: page.events.filter((event) => isObject(event) && wanted.has(String(event.event_ticker))),
    };
  }

  /** All milestones, for a listing page that came without them. */
  async milestones(): Promise<unknown[]> {
    const all: unknown[] = [];
    const guard = new PaginationGuard();
    let cursor: string | null = null;
    do {
      const answer = await this.#client.get('/milestones', { limit: 500, ...(cursor === null ? {} : { cursor }) });
      all.push(...listOf(answer, 'milestones'));
      cursor = guard.next(isObject(answer) ? answer.cursor : null);
    } while (cursor !== null);
    return all;
  }

  /** Whether anything trades, or null where the answer does not say so. Single shards are in each market's own status. */
  async isTrading(): Promise<boolean | null> {
    const answer = await this.#client.get('/exchange/status');
    const trading = isObject(answer) ? answer.trading_active : undefined;
    return typeof trading === 'boolean' ? trading : null;
  }

  /** Up to 100 books. */
  async books(tickers: readonly string[]): Promise<unknown[]> {
    return listOf(await this.#client.get('/markets/orderbooks', { tickers }), 'orderbooks');
  }
}

function pageOf(answer: unknown): EventPage {
  const cursor = isObject(answer) && typeof answer.cursor === 'string' && answer.cursor !== '' ? answer.cursor : null;
  const milestones = isObject(answer) && Array.isArray(answer.milestones) ? answer.milestones : null;
  return { events: listOf(answer, 'events'), milestones, cursor };
}

function listOf(answer: unknown, key: string): unknown[] {
  const list = isObject(answer) ? answer[key] : undefined;
  if (!Array.isArray(list)) throw new Error(`The answer of venue_a holds no list ${key}.`);
  return list;
}
