import { chunks } from '../feeds/feed.ts';
import { isObject } from '../feeds/parse.ts';
import { limitedRows, type Query, type RestClient, RestError, type StatusListener } from '../feeds/rest.ts';

export type EventPage = { events: unknown[]; cursor: string | null };

/**
 * Which closed events a page of settled events contains. `seriesId` and `tagSlug` are the venue's
 * own ids; the end dates are ISO 8601 and both inclusive.
 */
export type SettledQuery = {
  seriesId?: string;
  tagSlug?: string;
  endFrom: string;
  endUntil: string;
  cursor: string | null;
  limit?: number;
};

/**
 * Requests per second. Per address, Gamma allows 500 listing requests and the CLOB 500 book
 * requests in 10 s (venues.md B5). Half of that leaves room for other clients.
 */
export const GAMMA_RATE_PER_SECOND = 25;
export const CLOB_RATE_PER_SECOND = 25;
/**
 * The data API allows 1,000 requests in 10 s and 150 on its narrowest endpoints; /v2/resolutions is
 * not listed (rate limits page, read 2026-11-23). Half of the narrowest limit is safe.
 */
export const DATA_RATE_PER_SECOND = 7;
export const MAX_TOKENS = 100;
/** Conditions in one request of /v2/resolutions, by its OpenAPI document. */
export const MAX_CONDITIONS = 20;

/**
 * The REST requests of ingest to venue_b: metadata from Gamma, books from the CLOB, resolutions
 * from the data API.
 */
export class VenueBRest {
  readonly #gamma: RestClient;
  readonly #clob: RestClient;
  readonly #data: RestClient;

  constructor(gamma: RestClient, clob: RestClient, data: RestClient) {
    this.#gamma = gamma;
    this.#clob = clob;
    this.#data = data;
  }

  /** Registers a listener for the status of every CLOB response. */
  onClobStatus(listener: StatusListener): void {
    this.#clob.onStatus(listener);
  }

  /**
   * One page of open events. The cursor is sent as `after_cursor`. The venue ignores any other name
   * and returns page 1.
   */
  async events(cursor: string | null, limit = 100): Promise<EventPage> {
    return await this.#eventPage({ closed: false, limit }, cursor);
  }

  /** One page of closed events of one series or tag that ended within a span. */
  async settledEvents({ seriesId, tagSlug, ...query }: SettledQuery): Promise<EventPage> {
    return await this.#eventPage(
      {
        closed: true,
        ...(seriesId === undefined ? {} : { series_id: seriesId }),
        ...(tagSlug === undefined ? {} : { tag_slug: tagSlug }),
        end_date_min: query.endFrom,
        end_date_max: query.endUntil,
        limit: query.limit ?? 100,
      },
      query.cursor,
    );
  }

  async #eventPage(query: Query, cursor: string | null): Promise<EventPage> {
    const response = await this.#gamma.get('/events/keyset', {
      ...query,
      ...(cursor === null ? {} : { after_cursor: cursor }),
    });
    if (!isObject(response) || !Array.isArray(response.events))
      throw new Error('The response of venue_b contains no list events.');
    const next = response.next_cursor;
    return {
      events: limitedRows(response.events, 'events'),
      cursor: typeof next === 'string' && next !== '' ? next : null,
    };
  }

  /** One event in any state. Null when the venue no longer has it. */
  async eventBySlug(slug: string): Promise<unknown> {
    try {
      return await this.#gamma.get(`/events/slug/${encodeURIComponent(slug)}`);
    } catch (error) {
      if (error instanceof RestError && error.status === 404) return null;
      throw error;
    }
  }

  /** Books of up to 100 tokens. Tokens that the CLOB does not know are left out. */
  async books(tokens: readonly string[]): Promise<unknown[]> {
    const response = await this.#clob.post(
      '/books',
      tokens.map((token_id) => ({ token_id })),
    );
    if (!Array.isArray(response)) throw new Error('The response of venue_b contains no list of books.');
    return limitedRows(response, 'books');
  }

  /**
   * The resolution rows of these conditions, raw. A condition without a row is left out. `data:
   * null` is the venue's documented form of an empty answer.
   */
  async resolutions(conditions: readonly string[]): Promise<unknown[]> {
    const rows: unknown[] = [];
    for (const part of chunks([...new Set(conditions.map(wideCondition))], MAX_CONDITIONS)) {
      const response = await this.#data.get('/v2/resolutions', { condition: part.join(',') });
      if (!isObject(response) || !(response.data === null || Array.isArray(response.data)))
        throw new Error('The response of venue_b contains no list of resolutions.');
      rows.push(...(response.data ?? []));
    }
    return rows;
  }
}

/**
 * The 32-byte form of a condition id. Gamma writes the ids of V2 markets with 31 bytes (62
 * hexadecimal digits). The data API answers 400 to that form, and its rows carry the 32-byte form
 * with a zero byte at the end.
 */
export function wideCondition(condition: string): string {
  return (/^0x[0-9a-f]{62}$/i.test(condition) ? `${condition}00` : condition).toLowerCase();
}
