/**
 * Every error of the reference, in one table: its stable code, its HTTP status and a sentence that a person can act on.
 * Anything else that goes wrong is `internal`, logged with the request id and never shown.
 */
export const ERRORS = {
  'auth.missing_key': [401, 'Send your API key as "Authorization: Bearer <key>".'],
  'auth.malformed_key': [
    401,
    'This is not an API key: one begins with sk_live_ and has 55 characters. Check that it was copied whole.',
  ],
  'auth.revoked_key': [
    401,
    'This key is not valid: it was revoked, has expired or never existed. Mint a new one in the dashboard.',
  ],
  'metrics.missing_key': [401, 'Send a secret key of the project in the header apikey, the one named metrics or cron.'],
  'metrics.wrong_key': [403, 'The header apikey does not hold the secret key of the project named metrics or cron.'],
  'billing.inactive': [
    402,
    "The organization's subscription is inactive. Ask the operator of this service to activate it.",
  ],
  'webhook.tier': [403, 'Webhooks are part of the Basic, Premium and Pro tiers.'],
  'stream.tier': [
    403,
    'Your tier does not hear these markets live. Free hears the sample of markets, Basic and up the whole catalog, Pro candidates as well.',
  ],
  'webhook.not_found': [404, 'Your organization has no webhook endpoint with this id.'],
  'webhook.limit': [409, 'Your organization has all the webhook endpoints that its tier allows. Delete one first.'],
  'change.limit': [409, 'Your organization was changed 1,000 times within a day, which is the most. Go on tomorrow.'],
  'pair.not_found': [404, 'There is no market with this id.'],
  'channel.not_found': [404, 'Your organization hears no such channel.'],
  'route.not_found': [404, 'There is no such path. The API reference lists what there is.'],
  'method.not_allowed': [405, 'This path does not answer to this method; the Allow header lists those that it does.'],
  'body.too_large': [413, 'The body is larger than 64 KiB.'],
  'body.not_json': [400, 'The body is not JSON.'],
  'body.too_deep': [400, 'The body is nested more than 32 levels deep.'],
  'body.bad_text': [400, 'The body holds text that is not valid Unicode or contains a NUL character.'],
  'search.blank': [400, 'Say what to search for in q: 1 to 100 characters that are not all blank.'],
  'report.empty': [400, 'Say at least one of opp_id, reason, sport, market and detail.'],
  'report.limit': [
    409,
    'As many reports of your organization as may be are waiting to be looked at. File the next when some are: the channel org:{id} tells of each.',
  ],
  'url.too_long': [414, 'The address is longer than 8,192 characters.'],
  'rate.window': [429, 'Too many requests in this 60-second window. Wait for retry_after seconds.'],
  'rate.quota': [429, "This calendar month's quota is used up. It starts anew at resets_at; a higher tier has more."],
  internal: [500, 'Something failed on our side. Try again; if it stays, tell us the request_id.'],
  'admission.full': [503, 'Too many requests are waiting right now. Try again in retry_after seconds.'],
  'database.unavailable': [503, 'The database cannot be reached right now. Try again in retry_after seconds.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERRORS;

/** What a signed-in person gets besides: the dashboard's registration of a webhook is not in the reference, so neither are these. */
const SESSION_ERRORS = {
  'session.none': [401, 'Sign in first.'],
  'role.owner_needed': [403, 'Only an owner of the organization can do this.'],
  'organization.not_found': [404, 'There is no such organization among yours.'],
  'session.unverified': [503, 'Your session cannot be checked right now. Try again in retry_after seconds.'],
} as const satisfies Record<string, readonly [number, string]>;

const ALL_ERRORS = { ...ERRORS, ...SESSION_ERRORS };

export type ApiErrorCode = keyof typeof ALL_ERRORS;

export const isApiErrorCode = (code: string): code is ApiErrorCode => Object.hasOwn(ALL_ERRORS, code);

/** An answer that is not the one asked for. `fields` are added to the body, `headers` to the response. */
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

  /** The body of contract.md: {error, code, request_id, …fields}. */
  toResponse(requestId: string): Response {
    const headers = new Headers({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
    if (this.status === 401) headers.set('WWW-Authenticate', 'Bearer');
    for (const [name, value] of Object.entries(this.headers)) headers.set(name, value);
    const body = { error: this.message, code: this.code, request_id: requestId, ...this.fields };
    return new Response(JSON.stringify(body), { status: this.status, headers });
  }
}

/** 503 with its `retry_after` in whole seconds, in the body and in the header. `cause` is for the log. */
export function unavailable(
  code: 'admission.full' | 'database.unavailable' | 'session.unverified',
  seconds: number,
  cause?: unknown,
): ApiError {
  const error = new ApiError(code, { retry_after: seconds }, { 'Retry-After': String(seconds) });
  error.cause = cause;
  return error;
}
