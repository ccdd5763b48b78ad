import createClient, { type Client } from 'openapi-fetch';
import type { Market, MarketList, Paths } from './api_types.ts';
import { errorOf, type ParallaxError } from './errors.ts';
import { LiveChannel, type LiveOptions } from './live_channel.ts';

export type ParallaxOptions = {
  /** `sk_live_…`. Without a key only the public routes answer. */
  key?: string;
  /** Address of the API, such as `https://PROJECT.supabase.co/functions/v1/api`. */
  baseUrl: string;
  /** How often a GET is sent again after 429 or 503, or without an answer. Default 2. */
  retries?: number;
  fetch?: (request: Request) => Promise<Response>;
};

type MarketsQuery = NonNullable<Paths['/v2/markets']['get']['parameters']['query']>;

const MAX_WAIT_SECONDS = 60;

/**
 * Client of the Parallax API. `api` has every route with its types; a refused request throws
 * ParallaxError.
 */
export class Parallax {
  readonly api: Client<Paths, 'application/json'>;
  readonly #options: ParallaxOptions;

  constructor(options: ParallaxOptions) {
    this.#options = options;
    this.api = createClient<Paths, 'application/json'>({
      baseUrl: options.baseUrl.replace(/\/$/, ''),
      headers: options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` },
      fetch: (request) => this.#send(request),
    });
  }

  /** The pages of GET /v2/markets, one after the other. Each is one request. */
  async *pages(query: Omit<MarketsQuery, 'cursor' | 'page'> = {}): AsyncGenerator<MarketList, void> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = { ...query, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await this.api.GET('/v2/markets', { params: { query: page } });
      if (data === undefined) return;
      yield data;
      cursor = data.next_cursor;
    }
  }

  /** All markets that match, in the order of the request. */
  async *markets(query: Omit<MarketsQuery, 'cursor' | 'page'> = {}): AsyncGenerator<Market, void> {
    for await (const { markets } of this.pages({ limit: 500, ...query })) yield* markets;
  }

  /**
   * Connects to the stream and reads the state of one channel. Resolves when both are there; from
   * then on the state follows the stream, through lost connections as well.
   * @throws ParallaxError where the key or the plan does not allow it
   */
  async live(options: LiveOptions = {}): Promise<LiveChannel> {
    return await LiveChannel.open(this.api, options);
  }

  /** @throws ParallaxError for a status of 400 or more */
  async #send(request: Request): Promise<Response> {
    const { fetch: send = fetch, retries = 2 } = this.#options;
    for (let left = request.method === 'GET' ? retries : 0; ; left -= 1) {
      const failed = await send(request.clone()).then(
        async (answer) => (answer.status < 400 ? answer : await errorOf(answer)),
        (error: unknown) => error,
      );
      if (failed instanceof Response) return failed;
      const seconds = secondsToWait(failed as Partial<ParallaxError>);
      if (left <= 0 || seconds === null) throw failed;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

/** How long to wait before the next try; null where a further try cannot help. */
function secondsToWait({ status, retryAfter }: Partial<ParallaxError>): number | null {
  if (status === undefined) return 1;
  if (status !== 429 && status !== 503) return null;
  const seconds = retryAfter ?? 1;
  return seconds <= MAX_WAIT_SECONDS ? seconds : null;
}
