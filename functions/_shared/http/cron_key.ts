import type { Environment } from '../settings.ts';

// pg_cron and pg_net call functions with a key of our own in the header `x-cron-key`. It is no key
// of the platform: the Supabase CLI's stack has a single secret key, named `default`, and a gateway
// may reject a value of `apikey` that it does not know.

export const CRON_KEY_HEADER = 'x-cron-key';
/** A shorter key could be guessed. `openssl rand -hex 24` prints 48 characters. */
const MIN_KEY_LENGTH = 32;

type OwnKey = 'CRON_KEY' | 'METRICS_KEY' | 'STREAM_PROXY_SECRET' | 'CENTRIFUGO_API_KEY';

/**
 * A key of our own from the environment; null where it is not set. With null every call is
 * rejected. @throws Error where it is too short
 */
export function ownKeyOf(env: Environment, name: OwnKey): string | null {
  const key = env(name);
  if (!key) return null;
  if (key.length < MIN_KEY_LENGTH) throw new Error(`${name} is too short; it must have 32 characters or more.`);
  return key;
}

/** The 401 for a caller without the cron key; null where the key is right. */
export async function rejectCaller(
  headers: Headers,
  cronKey: string | null,
  requestId: string,
): Promise<Response | null> {
  const given = headers.get(CRON_KEY_HEADER);
  if (!given)
    return unauthorized(
      'auth.missing_key',
      'The header x-cron-key is missing. Send the key that is set as CRON_KEY.',
      requestId,
    );
  if (cronKey === null || !(await sameSecret(given, cronKey))) {
    return unauthorized(
      'auth.wrong_key',
      'The header x-cron-key is wrong. Send the key that is set as CRON_KEY.',
      requestId,
    );
  }
  return null;
}

function unauthorized(code: string, error: string, requestId: string): Response {
  return Response.json(
    { error, code, request_id: requestId },
    { status: 401, headers: { 'www-authenticate': CRON_KEY_HEADER } },
  );
}

/**
 * Compares digests, so that the time reveals neither the length nor the first different character.
 */
export async function sameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(given), digest(expected)]);
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
