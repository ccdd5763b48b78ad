import type { Context } from 'hono';
import type { AppEnv } from './app_types.ts';
import { gzipBody } from './cache.ts';
import type { Caller, ResponseRow } from './database.ts';
import { etagOf, parseIfNoneMatch } from './etag.ts';
import { keyHashOf } from './http/authorization.ts';
import { ApiError, isApiErrorCode } from './http/errors.ts';
import { acceptsGzip } from './http/gzip.ts';
import { admissionError, type RateState, rateHeaders } from './http/rate.ts';
import { validationResponse } from './http/validation.ts';
import type { ParsedRequest } from './parsed_request.ts';

// For a smaller body, the gzip header and the CPU cost more than the saved bytes.
const MIN_GZIP_BYTES = 200;

/**
 * Answers a data route in one round trip. It checks the key's checksum first. Then one SQL call
 * runs admission, and renders the body or reports that the cached body is current. Admission also
 * runs for rejected parameters: 401, 402, 403 and 429 come before 400 and 422.
 */
export async function respondData(c: Context<AppEnv>, route: string, parse: () => ParsedRequest): Promise<Response> {
  const keyHash = keyHashOf(c.req.raw.headers);
  const { queries, cache } = c.var.services;
  const { params, issues, errorCode } = parse();
  const cacheKey = `${route} ${JSON.stringify(params)}`;
  const isInvalid = issues.length > 0 || errorCode !== undefined;
  const cached = isInvalid ? undefined : cache.get(cacheKey);
  const row = await queries.callDataRoute({
    requestId: c.var.requestId,
    keyHash,
    route,
    params: isInvalid ? {} : params,
    isInvalid,
    cachedVersion: cached?.version,
    clientVersions: isInvalid ? [] : parseIfNoneMatch(c.req.header('If-None-Match')),
    isHead: c.req.raw.method === 'HEAD',
  });

  const rateState = rateStateOf(row);
  if (row.code !== null) throw toApiError(row.code, rateState);
  if (rateState === undefined) throw new Error('api.call_data_route admitted a caller without a rate state');
  if (row.status === 422) {
    if (issues.length === 0 && errorCode !== undefined) throw new ApiError(errorCode, {}, rateHeaders(rateState));
    // Values that only SQL can check come back in the same form.
    const allIssues = issues.length > 0 ? issues : JSON.parse(row.body ?? '[]');
    return validationResponse(allIssues, c.var.requestId, rateHeaders(rateState));
  }

  const version = row.version ?? '';
  const wantsGzip = acceptsGzip(c.req.header('Accept-Encoding'));
  const headers = new Headers({
    ...rateHeaders(rateState),
    'Cache-Control': `private, max-age=${Math.floor((row.max_age_ms ?? 0) / 1000)}`,
    Vary: 'Authorization, Accept-Encoding',
    'X-As-Of': row.as_of ?? '',
  });
  if (row.status === 304) {
    headers.set('ETag', etagOf(version, wantsGzip));
    return new Response(null, { status: 304, headers });
  }
  // Another request of this isolate may have replaced the cached body meanwhile. `cached` is still
  // the one whose version was sent to the database.
  const sent = row.body === null ? cached : cache.put(cacheKey, version, row.body);
  if (sent === undefined) throw new Error('api.call_data_route returned no body, and none is cached');
  const isGzipped = wantsGzip && sent.body.byteLength >= MIN_GZIP_BYTES;
  headers.set('ETag', etagOf(version, isGzipped));
  headers.set('Content-Type', 'application/json; charset=utf-8');
  if (isGzipped) headers.set('Content-Encoding', 'gzip');
  return new Response(isGzipped ? await gzipBody(sent) : sent.body, { status: 200, headers });
}

type ActionOptions = {
  /** Builds the body to send from the body that the database returned. */
  renderBody?: (body: string) => Promise<string>;
  /** Identifies the caller. Default: by the key. */
  callerOf?: (c: Context<AppEnv>) => Caller | Promise<Caller>;
};

/**
 * Answers a route that changes data or depends on its caller. Only an admitted caller gets a 400 or
 * 422 about the body. The response is never cached: all organizations share ResponseCache.
 */
export async function respondAction(
  c: Context<AppEnv>,
  route: string,
  parse: (caller: Caller) => Promise<ParsedRequest>,
  { renderBody = async (body) => body, callerOf = keyCallerOf }: ActionOptions = {},
): Promise<Response> {
  const caller = await callerOf(c);
  const { params, issues, errorCode } = await parseOrReject(() => parse(caller));
  const isInvalid = issues.length > 0 || errorCode !== undefined;
  const { queries } = c.var.services;
  const row = await queries.callActionRoute({
    requestId: c.var.requestId,
    caller,
    route,
    params: isInvalid ? {} : params,
    isInvalid,
  });
  const rateState = rateStateOf(row);
  if (row.code !== null) throw toApiError(row.code, rateState);
  if (rateState === undefined) throw new Error('api.call_action_route admitted a caller without a rate state');
  const headers = rateHeaders(rateState);
  if (errorCode !== undefined) throw new ApiError(errorCode, {}, headers);
  if (isInvalid) return validationResponse(issues, c.var.requestId, headers);
  // Values that only SQL can check come back in the same form.
  if (row.status === 422) return validationResponse(JSON.parse(row.body ?? '[]'), c.var.requestId, headers);
  const sent = new Headers({ ...headers, 'Cache-Control': 'no-store' });
  if (row.body !== null) sent.set('Content-Type', 'application/json; charset=utf-8');
  return new Response(row.body === null ? null : await renderBody(row.body), { status: row.status, headers: sent });
}

/** The holder of the key in the request. */
export const keyCallerOf = (c: Context<AppEnv>): Caller => ({ keyHash: keyHashOf(c.req.raw.headers) });

async function parseOrReject(parse: () => Promise<ParsedRequest>): Promise<ParsedRequest> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { params: {}, issues: [], errorCode: error.code };
    throw error;
  }
}

/** The rate state of the organization after the request; undefined where the key is unknown. */
export function rateStateOf(row: ResponseRow): RateState | undefined {
  if (row.tier === null) return undefined;
  return {
    tier: row.tier,
    window_quota: row.window_quota ?? 0,
    window_used: row.window_used ?? 0,
    window_left_s: row.window_left_s ?? 0,
    month_quota: row.month_quota ?? 0,
    month_used: row.month_used ?? 0,
    month_left_s: row.month_left_s ?? 0,
    month_ends_at: row.month_ends_at ?? '',
  };
}

/** The error that `code` names, with the rate state where admission reached it. */
export function toApiError(code: string, rateState: RateState | undefined): Error {
  if (!isApiErrorCode(code)) return new Error(`api.call_data_route returned the unknown code ${code}`);
  return rateState === undefined ? new ApiError(code) : admissionError(code, rateState);
}
