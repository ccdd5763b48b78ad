import { z } from 'zod';
import type { Platform } from '../../_shared/platform.ts';
import { ApiError, unavailable } from './errors.ts';

/** The form of a JSON Web Token. An API key contains no dot. */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_TOKEN_CHARACTERS = 8_192;
const AUTH_TIMEOUT_MS = 3_000;

/** The session token in `Authorization: Bearer`; undefined for anything else. */
export function sessionTokenOf(headers: Headers): string | undefined {
  const [, token = ''] = /^bearer\s+(\S+)$/i.exec(headers.get('Authorization')?.trim() ?? '') ?? [];
  return TOKEN_PATTERN.test(token) && token.length <= MAX_TOKEN_CHARACTERS ? token : undefined;
}

const users = z.object({ id: z.guid() });

/** The claims by which the database finds the session. A claim of another type counts as absent. */
const sessionClaims = z.object({
  session_id: z.guid().nullable().catch(null),
  aal: z.string().nullable().catch(null),
});
export type SessionClaims = z.infer<typeof sessionClaims>;

/**
 * Asks Auth for the id of the signed-in person. Auth decides, so an expired token, an ended session
 * and a deleted person are rejected at once, with any signing key of the project. Throws ApiError:
 * 401 `session.none`, and 503 `session.unverified` where Auth does not answer within three seconds.
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

/** The claims of a token that Auth has verified. The database decides with them once more. */
export function sessionClaimsOf(token: string): SessionClaims {
  const [, payload = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  return sessionClaims.parse(JSON.parse(new TextDecoder().decode(bytes)));
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
