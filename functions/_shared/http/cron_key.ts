// What pg_cron and pg_net show the functions that they call: the platform's secret key named `cron`, in the header `apikey`.

/** The key named `cron` of SUPABASE_SECRET_KEYS; null where none is set, and then nobody may call. */
export function cronKeyOf(keys: string | undefined): string | null {
  return secretKeysOf(keys).get('cron') ?? null;
}

/** All of SUPABASE_SECRET_KEYS by name. */
export function secretKeysOf(keys: string | undefined): Map<string, string> {
  if (!keys) return new Map();
  let named: unknown;
  try {
    named = JSON.parse(keys);
  } catch {
    throw new Error('SUPABASE_SECRET_KEYS is no JSON object.');
  }
  const entries: [string, unknown][] = named !== null && typeof named === 'object' ? Object.entries(named) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''));
}

/** The 401 of a caller who is not the platform; null for one who is. */
export async function rejectCaller(
  headers: Headers,
  cronKey: string | null,
  requestId: string,
): Promise<Response | null> {
  const given = headers.get('apikey');
  if (!given)
    return unauthorized(
      'auth.missing_key',
      'The header apikey is missing. It takes the project’s secret key named cron.',
      requestId,
    );
  if (cronKey === null || !(await sameSecret(given, cronKey))) {
    return unauthorized(
      'auth.wrong_key',
      'The header apikey does not hold the project’s secret key named cron.',
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

/** Compares digests, so that neither length nor first difference shows in the time it takes. */
export async function sameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(given), digest(expected)]);
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
