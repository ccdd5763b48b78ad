import type { Context } from 'hono';
import type { AppEnv } from './app_types.ts';
import { notModified, toResponse, withBody } from './data_response.ts';
import type { Caller, ResponseRow } from './database.ts';
import { parseIfNoneMatch } from './etag.ts';
import { keyHashOf } from './http/authorization.ts';
import { ApiError, isApiErrorCode } from './http/errors.ts';
import { acceptsGzip, gzip } from './http/gzip.ts';
import { admissionError, type RateState, rateHeaders } from './http/rate.ts';
import { validationResponse } from './http/validation.ts';
import { respondLeased } from './leases/respond_leased.ts';
import type { ParsedRequest } from './parsed_request.ts';

/**
 * Answers a data route. A key with a request lease is answered from the cache where that is current
 * (respond_leased.ts). Otherwise the database answers.
 */
export async function respondData(c: Context<AppEnv>, route: string, parse: () => ParsedRequest): Promise<Response> {
  const keyHash = keyHashOf(c.req.raw.headers);
  const leases = c.var.services.leases.ofKey(keyHash);
  if (leases) {
    leases.countDemand();
    const response = await respondLeased(c, leases);
    if (response) return response;
  }
  const parsed = parse();
  const isInvalid = parsed.issues.length > 0 || parsed.errorCode !== undefined;
  const cacheKey = `${route} ${JSON.stringify(parsed.params)}`;
  const respond = () => respondCounted(c, { keyHash, route, parsed, isInvalid, cacheKey });
  return leases && !isInvalid ? await leases.refresh(cacheKey, respond) : await respond();
}

type DataRequest = { keyHash: string; route: string; parsed: ParsedRequest; isInvalid: boolean; cacheKey: string };

/**
 * Answers a data route in one round trip. It checks the key's checksum first. Then one SQL call
 * runs admission, and renders the body or reports that the cached body is current. Admission also
 * runs for rejected parameters: 401, 402, 403 and 429 come before 400 and 422.
 */
async function respondCounted(c: Context<AppEnv>, request: DataRequest): Promise<Response> {
  const { keyHash, route, parsed, isInvalid, cacheKey } = request;
  const { queries, cache, leases } = c.var.services;
  const cached = isInvalid ? undefined : cache.get(cacheKey);
  const sentAt = leases.clock.elapsed();
  const row = await queries.callDataRoute({
    requestId: c.var.requestId,
    keyHash,
    route,
    params: isInvalid ? {} : parsed.params,
    isInvalid,
    cachedVersion: cached?.version,
    clientVersions: isInvalid ? [] : parseIfNoneMatch(c.req.header('If-None-Match')),
    isHead: c.req.raw.method === 'HEAD',
  });
  leases.setLimit(keyHash, row.lease_limit);
  const rateState = rateStateOf(row);
  if (row.code !== null) throw toApiError(row.code, rateState);
  if (rateState === undefined) throw new Error('api.call_data_route admitted a caller without a rate state');
  if (row.status === 422) return rejected(c, parsed, row, rateState);

  const version = row.version ?? '';
  const state = { rateState, asOf: row.as_of ?? '', stepLeftMs: row.max_age_ms ?? 0 };
  // Another request of this isolate may have replaced the cached body meanwhile. `cached` is still
  // the one whose version was sent to the database.
  const sent = row.body === null ? cached : cache.put(cacheKey, version, row.body);
  if (sent) {
    leases.positions.confirm(route, sent, { version, asOf: state.asOf, stepLeftMs: state.stepLeftMs, sentAt });
    if (leases.ofKey(keyHash)) leases.setAddress(c.req.url, { route, cacheKey });
  }
  const wantsGzip = acceptsGzip(c.req.header('Accept-Encoding'));
  if (row.status === 304) return toResponse(notModified(state, version, wantsGzip));
  if (sent === undefined) throw new Error('api.call_data_route returned no body, and none is cached');
  return toResponse(await withBody(state, sent, wantsGzip));
}

/** The response to parameters that this function or the database rejects. */
function rejected(c: Context<AppEnv>, parsed: ParsedRequest, row: ResponseRow, rateState: RateState): Response {
  const { issues, errorCode } = parsed;
  if (issues.length === 0 && errorCode !== undefined) throw new ApiError(errorCode, {}, rateHeaders(rateState));
  // Values that only SQL can check come back in the same form.
  const allIssues = issues.length > 0 ? issues : JSON.parse(row.body ?? '[]');
  return validationResponse(allIssues, c.var.requestId, rateHeaders(rateState));
}

type ActionOptions = {
  /** Builds the body to send from the body that the database returned. */
  renderBody?: (body: string) => Promise<string>;
  /** Whether the body is large, so that it is sent gzipped to a client that accepts it. */
  isLarge?: boolean;
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
  { renderBody = async (body) => body, isLarge = false, callerOf = keyCallerOf }: ActionOptions = {},
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
  if (row.body === null) return new Response(null, { status: row.status, headers: sent });
  sent.set('Content-Type', 'application/json; charset=utf-8');
  const body = await renderBody(row.body);
  if (!isLarge) return new Response(body, { status: row.status, headers: sent });
  sent.set('Vary', 'Accept-Encoding');
  if (!acceptsGzip(c.req.header('Accept-Encoding'))) return new Response(body, { status: row.status, headers: sent });
  sent.set('Content-Encoding', 'gzip');
  return new Response(await gzip(new TextEncoder().encode(body)), { status: row.status, headers: sent });
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
