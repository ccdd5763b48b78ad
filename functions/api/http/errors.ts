/**
 * All errors of the reference: stable code, HTTP status, and a sentence with the next step. Any
 * other failure is `internal`: its cause goes to the log with the request id, never to the caller.
 */
export const ERRORS = {
  'auth.missing_key': [401, 'Send your API key as "Authorization: Bearer <key>".'],
  'auth.malformed_key': [
    401,
    'This is not an API key. A key starts with sk_live_ and has 55 characters: copy all of them.',
  ],
  'auth.revoked_key': [401, 'This key was revoked or never existed. Create a new key in the dashboard.'],
  'auth.expired_key': [401, 'This key has expired. Create a new key in the dashboard.'],
  'auth.read_only_key': [
    403,
    'This key is read-only, and this request changes something. Use a key with the scope full.',
  ],
  'metrics.missing_key': [401, 'Send "Authorization: Bearer <key>" with the key that is set as METRICS_KEY.'],
  'metrics.wrong_key': [403, 'The key is wrong. Send the one that is set as METRICS_KEY.'],
  'billing.inactive': [402, "The organization's plan is inactive. Ask the operator of this service to activate it."],
  'webhook.tier': [403, 'Your tier does not include webhooks. Basic, Premium and Pro include them.'],
  'stream.tier': [
    403,
    'Your tier does not include these markets live. Free includes a sample of the markets, Basic and Premium the whole catalog, Pro also the candidates.',
  ],
  'webhook.not_found': [
    404,
    'Your organization has no webhook endpoint with this id. List them with GET /v1/webhooks.',
  ],
  'delivery.not_found': [
    404,
    'This endpoint has no delivery with this id. Deliveries are kept for seven days: list them with GET /v1/webhooks/{id}/deliveries.',
  ],
  'webhook.disabled': [
    409,
    'The endpoint is disabled. Enable it with PATCH /v1/webhooks/{id} and {"status": "enabled"}.',
  ],
  'webhook.busy': [409, 'The last test of this endpoint is still under way. Wait for its result.'],
  'webhook.tests': [409, 'This endpoint had 100 tests within a day, the maximum. Test it again tomorrow.'],
  'delivery.not_failed': [409, 'Only failed and dropped deliveries can be sent again.'],
  'webhook.limit': [409, 'Your organization has the maximum number of webhook endpoints. Delete one first.'],
  'change.limit': [409, 'Your organization was changed 1,000 times within a day, the maximum. Continue tomorrow.'],
  'export.tier': [403, 'Your tier does not include exports. Pro includes them.'],
  'export.not_found': [
    404,
    'This day has no export: the service did not run, or the day is older than 30 days. docs/export.md explains both.',
  ],
  'export.not_ready': [
    409,
    'The export of this day is not complete. A day is published about an hour after its end, in UTC.',
  ],
  'pair.not_found': [404, 'There is no market with this id: it was withdrawn or never existed.'],
  'channel.not_found': [
    404,
    'The channel does not exist, or your tier does not include it. The stream ticket lists your channels.',
  ],
  'route.not_found': [404, 'There is no such path. The API reference lists all paths.'],
  'method.not_allowed': [
    405,
    'This path does not support this method. The header Allow lists the methods that it supports.',
  ],
  'body.too_large': [413, 'The body is larger than 64 KiB. Send less.'],
  'body.not_json': [400, 'The body is not JSON. Send a JSON object.'],
  'body.too_deep': [400, 'The body is nested more than 32 levels deep. Send a flatter one.'],
  'body.bad_text': [400, 'The body contains invalid Unicode or a NUL character. Send valid UTF-8.'],
  'search.blank': [400, 'The parameter q is missing or blank. Send 1 to 100 characters.'],
  'report.empty': [400, 'The report is empty. Send at least one of opp_id, reason, sport, market and detail.'],
  'report.limit': [
    409,
    'Too many reports of your organization wait for review. Wait for a frame on the channel org:{id}, which reports each review.',
  ],
  'watch.limit': [
    409,
    'Your organization runs 8 calls of watch_markets, the maximum. Wait until one ends, or use mode ticket for the stream.',
  ],
  'url.too_long': [414, 'The URL is longer than 8,192 characters. Shorten it.'],
  'rate.window': [429, 'The limit of the 60-second window is reached. Try again in retry_after seconds.'],
  'rate.quota': [429, 'The monthly quota is used. Wait until resets_at, or use a higher tier.'],
  internal: [500, 'The service failed. Try again. If the error persists, report its request_id.'],
  'admission.full': [503, 'The server is at its limit of concurrent requests. Try again in retry_after seconds.'],
  'database.unavailable': [503, 'The database does not answer. Try again in retry_after seconds.'],
  'storage.unavailable': [503, 'The storage of the files does not answer. Try again in retry_after seconds.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * Errors of a call with a session. Only the dashboard makes such calls, so the reference omits
 * them.
 */
const SESSION_ERRORS = {
  'session.none': [401, 'Sign in first.'],
  'session.ended': [401, 'This session has ended. Sign in again.'],
  'session.second_factor': [403, 'Enter the code of your authenticator app first.'],
  'role.owner_needed': [403, 'Only an owner of the organization can do this.'],
  'organization.not_found': [404, 'You do not belong to this organization, or it does not exist.'],
  'session.unverified': [503, 'Your session cannot be checked now. Try again in retry_after seconds.'],
} as const satisfies Record<string, readonly [number, string]>;

const ALL_ERRORS = { ...ERRORS, ...SESSION_ERRORS };

export type ApiErrorCode = keyof typeof ALL_ERRORS;

export const isApiErrorCode = (code: string): code is ApiErrorCode => Object.hasOwn(ALL_ERRORS, code);

/** An error response. `fields` are added to the body, `headers` to the response. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ApiErrorCode, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    super(ALL_ERRORS[code][1]);
    this.name = 'ApiError';
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }

  get status(): number {
    return ALL_ERRORS[this.code][0];
  }

  /** Renders the error body of contract.md: {error, code, request_id, …fields}. */
  toResponse(requestId: string): Response {
    const headers = new Headers({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
    if (this.status === 401) headers.set('WWW-Authenticate', 'Bearer');
    for (const [name, value] of Object.entries(this.headers)) headers.set(name, value);
    const body = { error: this.message, code: this.code, request_id: requestId, ...this.fields };
    return new Response(JSON.stringify(body), { status: this.status, headers });
  }
}

/**
 * A 503 with `retry_after` in whole seconds, in the body and in the header. `cause` goes to the
 * log.
 */
export function unavailable(
  code: 'admission.full' | 'database.unavailable' | 'session.unverified' | 'storage.unavailable',
  seconds: number,
  cause?: unknown,
): ApiError {
  const error = new ApiError(code, { retry_after: seconds }, { 'Retry-After': String(seconds) });
  error.cause = cause;
  return error;
}
