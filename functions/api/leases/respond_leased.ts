import type { Context } from 'hono';
import type { AppEnv } from '../app_types.ts';
import { gzipBody } from '../cache.ts';
import { isWorthGzip, notModified, withBody } from '../data_response.ts';
import { ANY_VERSION } from '../database.ts';
import { parseIfNoneMatch } from '../etag.ts';
import { acceptsGzip } from '../http/gzip.ts';
import type { KeyLeases } from './key_leases.ts';

/** The first pass may wait for a lease, the second for the body. The third finds both. */
const MAX_PASSES = 3;

/**
 * Answers a request of a key with a lease from the cache of this isolate, without a call of the
 * database. Undefined where the database must answer: no lease, or no body that it has confirmed
 * within the last second. A request that another one of this key is about to confirm waits for it.
 */
export async function respondLeased(
  c: Context<AppEnv>,
  route: string,
  leases: KeyLeases,
): Promise<Response | undefined> {
  const { cache, leases: all } = c.var.services;
  const cacheKey = all.cacheKeyOf(c.req.url);
  if (cacheKey === undefined) return undefined;
  const wantsGzip = acceptsGzip(c.req.header('Accept-Encoding'));
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    if (!leases.isAlive && !(await leases.hasLease())) return undefined;
    const cached = cache.get(cacheKey);
    if (cached && wantsGzip && isWorthGzip(cached)) await gzipBody(cached);
    // From here to `take` nothing waits, so what is checked stays true.
    const now = all.clock.elapsed();
    const confirmation = cached && all.positions.currentOf(route, cached, now);
    if (cached && confirmation) {
      const versions = parseIfNoneMatch(c.req.header('If-None-Match'));
      const isKnown = versions.includes(cached.version) || versions.includes(ANY_VERSION);
      const rateState = leases.take(!isKnown && c.req.raw.method !== 'HEAD');
      if (rateState === undefined) continue;
      const state = { rateState, asOf: confirmation.asOf, stepLeftMs: confirmation.stepEndsAt - now };
      return isKnown ? notModified(state, cached.version, wantsGzip) : await withBody(state, cached, wantsGzip);
    }
    const refresh = leases.refreshOf(cacheKey);
    if (refresh === undefined) return undefined;
    await refresh;
  }
  return undefined;
}
