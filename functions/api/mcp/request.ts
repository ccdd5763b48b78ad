import { hashKey } from '../../_shared/http/hash_key.ts';
import type { Services } from '../app_types.ts';
import type { ResponseRow } from '../database.ts';
import { ApiError } from '../http/errors.ts';
import { rateHeaders } from '../http/rate.ts';
import { rateStateOf, toApiError } from '../respond.ts';
import { parseToolError, type ToolError } from './tool_error.ts';

/** Result of a call of a route: the parsed body, or the error. */
export type RouteResult =
  | { value: Record<string, unknown>; error?: undefined }
  | { value?: undefined; error: ToolError };

/**
 * One HTTP request of MCP. The database admits and counts its calls of routes like any REST
 * request. `rateLimits` keeps the limits of the organization for the response headers. A message
 * without such a call is admitted by `admit`.
 */
export class McpRequest {
  readonly requestId: string;
  readonly services: Services;
  /** SHA-256 of the key, lower-case hex. */
  readonly keyHash: string;
  readonly #key: string;
  /** `RateLimit` and `RateLimit-Policy`, after admission. */
  rateLimits: Record<string, string> = {};
  /** Whether admission has run, with any result. */
  hasAdmission = false;
  /** The response is a stream of a running call. Its headers wait for `admitted`. */
  isStreaming = false;
  /** Set where the key is unknown: the response is then an HTTP 401, not a JSON-RPC message. */
  unknownKeyError: ApiError | undefined;
  /** Resolves when admission has run. A stream sends its headers after that. */
  readonly admitted: Promise<void>;
  #resolveAdmitted: () => void = () => {};

  constructor(key: string, services: Services, requestId: string) {
    this.#key = key;
    this.keyHash = hashKey(key);
    this.services = services;
    this.requestId = requestId;
    this.admitted = new Promise((resolve) => {
      this.#resolveAdmitted = resolve;
    });
  }

  /**
   * The organization, whose share of a limit this request uses. It does not admit. Throws ApiError
   * 401 and 503.
   */
  async party(): Promise<string> {
    try {
      const orgId = await this.services.queries.orgOf(this.keyHash);
      if (orgId !== undefined) return orgId;
    } catch (error) {
      // Admission would wait for the same database.
      this.#markAdmission();
      throw error;
    }
    throw new ApiError('auth.revoked_key');
  }

  /**
   * Runs admission only, for a message without market data. Counts in the window. Throws ApiError.
   */
  async admit(): Promise<void> {
    const caller = { keyHash: this.keyHash };
    // With `isInvalid` the SQL function runs admission only. There is no action to run here.
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

  /** Calls a route of this API with the same key. */
  async callRoute(method: string, path: string, body?: object): Promise<RouteResult> {
    const request = new Request(`http://parallax/api${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        'X-Request-Id': this.requestId,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const response = await this.services.dispatch(request);
    for (const name of ['RateLimit', 'RateLimit-Policy']) {
      const value = response.headers.get(name);
      if (value !== null) this.rateLimits[name] = value;
    }
    // A request that was rejected before admission (unknown route, long URL) has run no admission.
    if (this.rateLimits.RateLimit !== undefined || response.status === 401 || response.status >= 500)
      this.#markAdmission();
    const value: Record<string, unknown> = await response.json();
    if (response.ok) return { value };
    if (response.status === 401)
      this.unknownKeyError = new ApiError(value.code === 'auth.expired_key' ? 'auth.expired_key' : 'auth.revoked_key');
    return { error: parseToolError(value) };
  }

  /**
   * Awaits the row of an SQL call and keeps its rate state. Throws ApiError for an error of
   * admission and for an outage.
   */
  async recordAdmission(call: Promise<ResponseRow>): Promise<ResponseRow> {
    try {
      const row = await call;
      const rateState = rateStateOf(row);
      if (rateState) this.rateLimits = rateHeaders(rateState);
      if (row.code === null) return row;
      const error = toApiError(row.code, rateState);
      if (error instanceof ApiError && error.status === 401) this.unknownKeyError = error;
      throw error;
    } finally {
      // Runs last, because the waiting code reads the fields above. It also runs after an outage,
      // so that no second call waits for the same database.
      this.#markAdmission();
    }
  }

  #markAdmission(): void {
    this.hasAdmission = true;
    this.#resolveAdmitted();
  }
}
