import type { Context } from 'hono';
import { requestIdOf } from '../../_shared/http/request_id.ts';
import type { AppEnv, Services } from '../app_types.ts';
import { gzipBody } from '../cache.ts';
import { type DataAnswer, isSentGzipped, notModified, toResponse, withBytes } from '../data_response.ts';
import { ANY_VERSION } from '../database.ts';
import { parseIfNoneMatch } from '../etag.ts';
import { commonHeaders } from '../http/common_headers.ts';
import { acceptsGzip } from '../http/gzip.ts';
import type { KeyLeases } from './key_leases.ts';
import type { Address } from './request_leases.ts';

/** One pass may wait for the lease, one for the body, one for its gzip. */
const MAX_PASSES = 4;

type LeasedServices = Pick<Services, 'cache' | 'leases'>;

/**
 * Answers a GET in the same turn of the event loop, without the app: the isolate has answered this
 * address to this `Authorization` before, and holds a lease and a body that is current. Undefined
 * for every other request.
 *
 * Deno.serve sends a response that is returned, and not promised, without a hop between threads.
 * On two busy cores that hop is most of the time of such a request.
 */
export function respondAtOnce(request: Request, services: Services): Response | undefined {
  const { leases } = services;
  if (leases.isEmpty || request.method !== 'GET') return undefined;
  const keyLeases = leases.ofAuthorization(request.headers.get('Authorization'));
  const address = keyLeases && leases.addressOf(request.url);
  const answer = address && answerNow(services, keyLeases, address, request);
  if (!answer) return undefined;
  keyLeases.countDemand();
  const requestId = requestIdOf(request.headers);
  const fields = { method: 'GET', route: address.route, status: answer.status, ms: 0 };
  services.log.write('debug', 'request.completed', fields, requestId);
  Object.assign(answer.headers, commonHeaders(requestId));
  return toResponse(answer);
}

/**
 * Answers a request of a key with leases from the cache of this isolate, without a call of the
 * database for it. Undefined where the database must answer: no lease, or no body that it has
 * confirmed within the last second. A request waits for the call of another one of this key that is
 * about to confirm the body.
 */
export async function respondLeased(c: Context<AppEnv>, keyLeases: KeyLeases): Promise<Response | undefined> {
  const { services } = c.var;
  const { leases } = services;
  const address = leases.addressOf(c.req.url);
  if (address === undefined) return undefined;
  const request = c.req.raw;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const answer = answerNow(services, keyLeases, address, request);
    if (answer) {
      leases.setAuthorization(request.headers.get('Authorization'), keyLeases);
      return toResponse(answer);
    }
    if (!(await untilAnswerable(services, keyLeases, address, request))) return undefined;
  }
  return undefined;
}

/** The answer, counted in the lease. Nothing in here waits, so what is checked stays true. */
function answerNow(
  { cache, leases }: LeasedServices,
  keyLeases: KeyLeases,
  { route, cacheKey }: Address,
  { method, headers }: Request,
): DataAnswer | undefined {
  const now = leases.clock.elapsed();
  const cached = cache.get(cacheKey);
  const confirmation = cached && leases.positions.currentOf(route, cached, now);
  if (!cached || !confirmation) return undefined;
  const wantsGzip = acceptsGzip(headers.get('Accept-Encoding'));
  const isGzipped = isSentGzipped(cached, wantsGzip);
  if (isGzipped && !cached.gzippedBytes) return undefined;
  const versions = parseIfNoneMatch(headers.get('If-None-Match'));
  const isKnown = versions.includes(cached.version) || versions.includes(ANY_VERSION);
  const rateState = keyLeases.take(!isKnown && method !== 'HEAD', now);
  if (!rateState) return undefined;
  const state = { rateState, asOf: confirmation.asOf, stepLeftMs: confirmation.stepEndsAt - now };
  return isKnown
    ? notModified(state, cached.version, wantsGzip)
    : withBytes(state, cached, isGzipped ? cached.gzippedBytes : undefined);
}

/** Waits for the first thing that `answerNow` lacks. False where only the database can answer. */
async function untilAnswerable(
  { cache, leases }: LeasedServices,
  keyLeases: KeyLeases,
  { route, cacheKey }: Address,
  { headers }: Request,
): Promise<boolean> {
  if (!(await keyLeases.hasLease())) return false;
  const cached = cache.get(cacheKey);
  if (cached && leases.positions.currentOf(route, cached, leases.clock.elapsed())) {
    if (isSentGzipped(cached, acceptsGzip(headers.get('Accept-Encoding')))) await gzipBody(cached);
    return true;
  }
  const refresh = keyLeases.refreshOf(cacheKey);
  await refresh;
  return refresh !== undefined;
}
