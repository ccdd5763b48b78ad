import { isObject } from '../feeds/parse.ts';
import { type RestClient, RestError, type StatusListener } from '../feeds/rest.ts';

export type EventPage = { events: unknown[]; cursor: string | null };

/** Gamma takes 500 listings and CLOB 500 batches of books in 10 s for each address (venues.md B5); half of that leaves room for others. */
export const GAMMA_RATE_PER_SECOND = 25;
export const CLOB_RATE_PER_SECOND = 25;
export const MAX_TOKENS = 100;

/** The reads of venue_b that ingest makes: metadata from Gamma, books from the CLOB. */
export class VenueBRest {
  readonly #gamma: RestClient;
  readonly #clob: RestClient;

  constructor(gamma: RestClient, clob: RestClient) {
    this.#gamma = gamma;
    this.#clob = clob;
  }

  /** Whatever the order books' server answers. */
  onClobStatus(listener: StatusListener): void {
    this.#clob.onStatus(listener);
  }

  /** One page of open events. The cursor goes back as `after_cursor`: any other name is ignored and page 1 returns. */
  async events(cursor: string | null, limit = 100): Promise<EventPage> {
    const answer = await this.#gamma.get('/events/keyset', {
      closed: false,
      limit,
      ...(cursor === null ? {} : { after_cursor: cursor }),
    });
    if (!isObject(answer) || !Array.isArray(answer.events))
      throw new Error('The answer of venue_b holds no list events.');
    const next = answer.next_cursor;
    return { events: answer.events, cursor: typeof next === 'string' && next !== '' ? next : null };
  }

  /** One event in whatever state it is, or null when the venue no longer has it. */
  async eventBySlug(slug: string): Promise<unknown> {
    try {
      return await this.#gamma.get(`/events/slug/${encodeURIComponent(slug)}`);
    } catch (error) {
      if (error instanceof RestError && error.status === 404) return null;
      throw error;
    }
  }

  /** Books of up to 100 tokens; a token that the CLOB does not know is left out. */
  async books(tokens: readonly string[]): Promise<unknown[]> {
    const answer = await this.#clob.post(
      '/books',
      tokens.map((token_id) => ({ token_id })),
    );
    if (!Array.isArray(answer)) throw new Error('The answer of venue_b holds no list of books.');
    return answer;
  }
}
