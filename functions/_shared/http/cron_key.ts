// pg_cron and pg_net call functions with the platform's secret key named `cron` in the header
// `apikey`.

/**
 * The key named `cron` in SUPABASE_SECRET_KEYS; null where none is set. With null every call is
 * rejected.
 */
export function cronKeyOf(keys: string | undefined): string | null {
  return secretKeysOf(keys).get('cron') ?? null;
}

/** All keys of SUPABASE_SECRET_KEYS by name. @throws Error where it is not JSON */
export function secretKeysOf(keys: string | undefined): Map<string, string> {
  if (!keys) return new Map();
  let parsed: unknown;
  try {
    parsed = JSON.parse(keys);
  } catch {
    throw new Error('SUPABASE_SECRET_KEYS is not a JSON object.');
  }
  const entries: [string, unknown][] = parsed !== null && typeof parsed === 'object' ? Object.entries(parsed) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''));
}

/** The 401 for a caller without the cron key; null where the key is right. */
export async function rejectCaller(
  headers: Headers,
  cronKey: string | null,
  requestId: string,
): Promise<Response | null> {
  const given = headers.get('apikey');
  if (!given)
    return unauthorized(
      'auth.missing_key',
      'The header apikey is missing. Send the project’s secret key named cron.',
      requestId,
    );
  if (cronKey === null || !(await sameSecret(given, cronKey))) {
    return unauthorized(
      'auth.wrong_key',
      'The header apikey is wrong. Send the project’s secret key named cron.',
      requestId,
    );
  }
  return null;
}

function unauthorized(code: string, error: string, requestId: string): Response {
  return Response.json(
    { error, code, request_id: requestId },
    { status: 401, headers: { 'www-authenticate': 'apikey' } },
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
