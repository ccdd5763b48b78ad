import type { Context } from 'hono';
import type { AppEnv } from './app_types.ts';
import { gzipBody } from './cache.ts';
import type { Caller, ResponseRow } from './database.ts';
import { etagOf, versionsIn } from './etag.ts';
import { keyHashOf } from './http/authorization.ts';
import { ApiError, isApiErrorCode } from './http/errors.ts';
import { acceptsGzip } from './http/gzip.ts';
import { admissionError, type RateState, rateHeaders } from './http/rate.ts';
import { validationResponse } from './http/validation.ts';
import type { ParsedRequest } from './parsed_request.ts';

// Below this the header of gzip and the work cost more than the bytes saved.
const MIN_GZIP_BYTES = 200;

/**
 * The answer of a data route, in one round trip: the key's checksum first, then one call that admits and either renders or says that
 * the bytes held here are current. Admission runs also for parameters that are refused: 401, 402, 403 and 429 come before 400 and 422.
 */
export async function respondData(c: Context<AppEnv>, route: string, parse: () => ParsedRequest): Promise<Response> {
  const keyHash = keyHashOf(c.req.raw.headers);
  const { queries, cache } = c.var.services;
  const { params, issues, refusal: wrong } = parse();
  const cacheKey = `${route} ${JSON.stringify(params)}`;
  const invalid = issues.length > 0 || wrong !== undefined;
  const held = invalid ? undefined : cache.get(cacheKey);
  const row = await queries.callDataRoute({
    requestId: c.var.requestId,
    keyHash,
    route,
    params: invalid ? {} : params,
    isInvalid: invalid,
    cachedVersion: held?.version,
    clientVersions: invalid ? [] : versionsIn(c.req.header('If-None-Match')),
    isHead: c.req.raw.method === 'HEAD',
  });

  const standing = rateStateOf(row);
  if (row.code !== null) throw toApiError(row.code, standing);
  if (standing === undefined) throw new Error('api.call_data_route let somebody in without saying whom');
  if (row.status === 422) {
    if (issues.length === 0 && wrong !== undefined) throw new ApiError(wrong, {}, rateHeaders(standing));
    // What SQL alone can judge comes back as the same record.
    const faults = issues.length > 0 ? issues : JSON.parse(row.body ?? '[]');
    return validationResponse(faults, c.var.requestId, rateHeaders(standing));
  }

  const version = row.version ?? '';
  const zipping = acceptsGzip(c.req.header('Accept-Encoding'));
  const headers = new Headers({
    ...rateHeaders(standing),
    'Cache-Control': `private, max-age=${Math.floor((row.max_age_ms ?? 0) / 1000)}`,
    Vary: 'Authorization, Accept-Encoding',
    'X-As-Of': row.as_of ?? '',
  });
  if (row.status === 304) {
    headers.set('ETag', etagOf(version, zipping));
    return new Response(null, { status: 304, headers });
  }
  // Another request of this isolate may have moved on to the next version meanwhile: then `held` is still what was held before.
  const sent = row.body === null ? held : cache.put(cacheKey, version, row.body);
  if (sent === undefined) throw new Error('api.call_data_route says that bytes are held which are not');
  const zipped = zipping && sent.body.byteLength >= MIN_GZIP_BYTES;
  headers.set('ETag', etagOf(version, zipped));
  headers.set('Content-Type', 'application/json; charset=utf-8');
  if (zipped) headers.set('Content-Encoding', 'gzip');
  return new Response(zipped ? await gzipBody(sent) : sent.body, { status: 200, headers });
}

type ActionOptions = {
  /** Makes the body that is sent of the one that the database gave. */
  finish?: (body: string) => Promise<string>;
  /** Who calls, where a key is not the only way in. */
  callerOf?: (c: Context<AppEnv>) => Caller | Promise<Caller>;
};

/**
 * The answer of a route that changes something, or that is about its caller alone. What is wrong with the body is told after admission,
 * like everything else: 400 and 422 are for who may call. Nothing of it is cached: AnswerCache is shared by all organizations.
 */
export async function respondAction(
  c: Context<AppEnv>,
  route: string,
  parse: (caller: Caller) => Promise<ParsedRequest>,
  { finish = async (body) => body, callerOf = keyCallerOf }: ActionOptions = {},
): Promise<Response> {
  const caller = await callerOf(c);
  const { params, issues, refusal: wrong } = await parseOrReject(() => parse(caller));
  const invalid = issues.length > 0 || wrong !== undefined;
  const { queries } = c.var.services;
  const row = await queries.callActionRoute({
    requestId: c.var.requestId,
    caller,
    route,
    params: invalid ? {} : params,
    isInvalid: invalid,
  });
  const standing = rateStateOf(row);
  if (row.code !== null) throw toApiError(row.code, standing);
  if (standing === undefined) throw new Error('api.call_action_route let somebody in without saying whom');
  const headers = rateHeaders(standing);
  if (wrong !== undefined) throw new ApiError(wrong, {}, headers);
  if (invalid) return validationResponse(issues, c.var.requestId, headers);
  // What SQL alone can judge comes back as the same record.
  if (row.status === 422) return validationResponse(JSON.parse(row.body ?? '[]'), c.var.requestId, headers);
  const sent = new Headers({ ...headers, 'Cache-Control': 'no-store' });
  if (row.body !== null) sent.set('Content-Type', 'application/json; charset=utf-8');
  return new Response(row.body === null ? null : await finish(row.body), { status: row.status, headers: sent });
}

/** The holder of the key that the request carries. */
export const keyCallerOf = (c: Context<AppEnv>): Caller => ({ keyHash: keyHashOf(c.req.raw.headers) });

async function parseOrReject(parse: () => Promise<ParsedRequest>): Promise<ParsedRequest> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { params: {}, issues: [], refusal: error.code };
    throw error;
  }
}

/** Where the organization stands after the request; undefined where the key is nobody's. */
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

/** The refusal of admission, or of the route, that `code` names. */
export function toApiError(code: string, standing: RateState | undefined): Error {
  if (!isApiErrorCode(code)) return new Error(`api.call_data_route gave the unknown code ${code}`);
  return standing === undefined ? new ApiError(code) : admissionError(code, standing);
}
