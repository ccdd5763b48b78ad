import { z } from 'zod';
import type { Platform } from '../platform.ts';
import { ApiError, unavailable } from './errors.ts';

/** A JSON Web Token, by its form alone. An API key has no dot in it. */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_TOKEN_CHARACTERS = 8_192;
const AUTH_TIMEOUT_MS = 3_000;

/** The session that `Authorization: Bearer` carries; undefined where it carries something else. */
export function sessionTokenOf(headers: Headers): string | undefined {
  const [, token = ''] = /^bearer\s+(\S+)$/i.exec(headers.get('Authorization')?.trim() ?? '') ?? [];
  return TOKEN_PATTERN.test(token) && token.length <= MAX_TOKEN_CHARACTERS ? token : undefined;
}

const users = z.object({ id: z.guid() });

/**
 * The signed-in person whose session this is, by their id. Auth itself decides: so a token that has expired, a session that was
 * ended and a person who was deleted are refused at once, whatever key the project signs with. Throws ApiError: 401 `session.none`,
 * and 503 `session.unverified` where Auth does not answer within three seconds.
 */
export async function fetchUserId(token: string, platform: Platform | null): Promise<string> {
  if (!platform) throw unavailable('session.unverified', 1, new Error('SUPABASE_PUBLISHABLE_KEYS is not set'));
  const answer = await fetchUser(token, platform).catch((error: unknown) => {
    throw unavailable('session.unverified', 1, error);
  });
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) throw new ApiError('session.none');
  const user = answer.status === 200 ? users.safeParse(answer.body) : undefined;
  if (!user?.success) throw unavailable('session.unverified', 1, new Error(`Auth answered ${answer.status}`));
  return user.data.id;
}

async function fetchUser(token: string, { url, apikey }: Platform): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/auth/v1/user`, {
    headers: { Authorization: `Bearer ${token}`, apikey },
    redirect: 'error',
    signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
  });
  const text = await response.text();
  return { status: response.status, body: response.status === 200 ? JSON.parse(text) : null };
}
