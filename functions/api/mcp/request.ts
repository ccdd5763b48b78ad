import { hashKey } from '../../_shared/http/hash_key.ts';
import type { Services } from '../app_types.ts';
import type { ResponseRow } from '../database.ts';
import { ApiError } from '../http/errors.ts';
import { rateHeaders } from '../http/rate.ts';
import { rateStateOf, toApiError } from '../respond.ts';
import { parseToolError, type ToolError } from './tool_error.ts';

/** What a route of the API answered: the value of its JSON, or why there is none. */
export type RouteResult =
  | { value: Record<string, unknown>; fault?: undefined }
  | { value?: undefined; fault: ToolError };

/**
 * One HTTP request of MCP while it is answered. Whatever it asks is admitted and counted by the database like any request of REST, and
 * what is learnt of the organization's limits is kept for the headers. A message that asks nothing is admitted by itself (`admit`).
 */
export class McpRequest {
  readonly requestId: string;
  readonly services: Services;
  readonly #key: string;
  /** `RateLimit` and `RateLimit-Policy`, once the database was asked. */
  rateLimits: Record<string, string> = {};
  /** Whether admission has run, whatever it said. */
  hasAdmission = false;
  /** The answer is a stream of a call that is running: its headers wait for `admitted`. */
  isStreaming = false;
  /** The key is nobody's: that is HTTP's 401 and not an answer of the protocol. */
  hasUnknownKey: ApiError | undefined;
  /** Settles when admission has run, so that an answer which begins before its end can carry the right headers. */
  readonly admitted: Promise<void>;
  #resolveAdmitted: () => void = () => {};

  constructor(key: string, services: Services, requestId: string) {
    this.#key = key;
    this.services = services;
    this.requestId = requestId;
    this.admitted = new Promise((resolve) => {
      this.#resolveAdmitted = resolve;
    });
  }

  keyHash(): string {
    return hashKey(this.#key);
  }

  /** Admission alone, for what needs nothing of the markets: it counts in the window. Throws the ApiError of a refusal. */
  async admit(): Promise<void> {
    const caller = { keyHash: this.keyHash() };
    // api.call_action_route runs admission and nothing else for what it is told to be invalid: here, because there is nothing to run.
    await this.recordAdmission(
      this.services.queries.callActionRoute({
        requestId: this.requestId,
        caller,
        route: 'mcp',
        params: {},
        isInvalid: true,
      }),
    );
  }

  /** Asks a route of this API with the same key. */
  async callRoute(method: string, address: string, body?: object): Promise<RouteResult> {
    const request = new Request(`http://parallax/api${address}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        'X-Request-Id': this.requestId,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await this.services.dispatch(request);
    for (const name of ['RateLimit', 'RateLimit-Policy']) {
      const value = answer.headers.get(name);
      if (value !== null) this.rateLimits[name] = value;
    }
    // What is refused before admission (no such route, a long address) has admitted nobody.
    if (this.rateLimits.RateLimit !== undefined || answer.status === 401 || answer.status >= 500) this.#markAdmission();
    const value: Record<string, unknown> = await answer.json();
    if (answer.ok) return { value };
    if (answer.status === 401) this.hasUnknownKey = new ApiError('auth.revoked_key');
    return { fault: parseToolError(value) };
  }

  /** Waits for a row of the database and keeps what it says of the organization. Throws the ApiError of a refusal or of an outage. */
  async recordAdmission(asking: Promise<ResponseRow>): Promise<ResponseRow> {
    try {
      const row = await asking;
      const standing = rateStateOf(row);
      if (standing) this.rateLimits = rateHeaders(standing);
      if (row.code === null) return row;
      const refusal = toApiError(row.code, standing);
      if (refusal instanceof ApiError && refusal.status === 401) this.hasUnknownKey = refusal;
      throw refusal;
    } finally {
      // Last, since who waits for it reads the rest; and also in an outage: to ask again at once would only wait again.
      this.#markAdmission();
    }
  }

  #markAdmission(): void {
    this.hasAdmission = true;
    this.#resolveAdmitted();
  }
}
