import type { Error as ErrorBody } from './api_types.ts';

/** The service refused a request. `code` is one of the codes of docs/rest.md. */
export class ParallaxError extends Error {
  readonly status: number;
  /** Machine-readable reason; `http.<status>` where the answer has none. */
  readonly code: string;
  /** Names the request for support; null where the answer has none. */
  readonly requestId: string | null;
  /** Seconds after which another try may succeed; null where the answer names no time. */
  readonly retryAfter: number | null;

  constructor(status: number, body: Partial<ErrorBody>, retryAfter: number | null) {
    super(body.error ?? `The service answered with status ${status}.`);
    this.name = 'ParallaxError';
    this.status = status;
    this.code = body.code ?? `http.${status}`;
    this.requestId = body.request_id ?? null;
    this.retryAfter = retryAfter;
  }
}

/** The error of an answer with a status of 400 or more. */
export async function errorOf(answer: Response): Promise<ParallaxError> {
  const body: unknown = await answer.json().catch(() => ({}));
  const seconds = Number(answer.headers.get('Retry-After') ?? Number.NaN);
  const fields = typeof body === 'object' && body !== null ? (body as Partial<ErrorBody>) : {};
  return new ParallaxError(answer.status, fields, Number.isFinite(seconds) ? seconds : null);
}
