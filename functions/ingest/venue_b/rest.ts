import { isObject } from '../feeds/parse.ts';
import { type RestClient, RestError, type StatusListener } from '../feeds/rest.ts';

export type EventPage = { events: unknown[]; cursor: string | null };

/**
 * Requests per second. Per address, Gamma allows 500 listing requests and the CLOB 500 book
 * requests in 10 s (venues.md B5). Half of that leaves room for other clients.
 */
export const GAMMA_RATE_PER_SECOND = 25;
export const CLOB_RATE_PER_SECOND = 25;
export const MAX_TOKENS = 100;

/** The REST requests of ingest to venue_b: metadata from Gamma, books from the CLOB. */
export class VenueBRest {
  readonly #gamma: RestClient;
  readonly #clob: RestClient;

  constructor(gamma: RestClient, clob: RestClient) {
    this.#gamma = gamma;
    this.#clob = clob;
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
    const response = await this.#gamma.get('/events/keyset', {
      closed: false,
      limit,
      ...(cursor === null ? {} : { after_cursor: cursor }),
    });
    if (!isObject(response) || !Array.isArray(response.events))
      throw new Error('The response of venue_b contains no list events.');
    const next = response.next_cursor;
    return { events: response.events, cursor: typeof next === 'string' && next !== '' ? next : null };
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
    return response;
  }
}
