import type { Context } from 'hono';
import { z } from 'zod';
import type { AppEnv } from './app_types.ts';
import type { Caller } from './database.ts';
import { ApiError } from './http/errors.ts';
import { fetchUserId, sessionClaimsOf, sessionTokenOf } from './http/session.ts';
import { keyCallerOf } from './respond.ts';

/**
 * The caller of a route that takes a key, or the session of an owner with `?org_id=`. The dashboard
 * sends the session; the reference omits it.
 */
export async function ownerOrKeyCallerOf(c: Context<AppEnv>): Promise<Caller> {
  const orgId = c.req.query('org_id');
  const token = sessionTokenOf(c.req.raw.headers);
  if (orgId === undefined || token === undefined) return keyCallerOf(c);
  const userId = await fetchUserId(token, c.var.services.platform);
  if (!z.guid().safeParse(orgId).success) throw new ApiError('organization.not_found');
  return { userId, session: sessionClaimsOf(token), orgId };
}
