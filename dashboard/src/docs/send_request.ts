/** Headers that a reader needs, in this order. */
const SHOWN_HEADERS = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-As-Of',
  'ETag',
  'Cache-Control',
  'Deprecation',
  'Content-Type',
] as const;

/** A longer body is not read to its end. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

export type Answer = {
  status: number;
  /** Milliseconds from the request to the end of the body. */
  ms: number;
  headers: readonly (readonly [name: string, value: string])[];
  text: string;
  bytes: number;
  /** Whether `text` is the complete body. */
  isComplete: boolean;
};

/**
 * Sends a request with the reader's key in the header, without cookies, and reads the answer with
 * any status. Throws an Error with a message for the reader where there is no answer.
 */
export async function sendRequest(
  method: string,
  url: string,
  { key, headers, body }: { key: string; headers: Record<string, string>; body: string | undefined },
): Promise<Answer> {
  const began = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const read = await readBody(response);
    return {
      status: response.status,
      ms: Math.round(performance.now() - began),
      headers: SHOWN_HEADERS.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      }),
      ...read,
    };
  } catch (error) {
    throw new Error(messageOf(error, key));
  }
}

function messageOf(error: unknown, key: string): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `There was no answer within ${TIMEOUT_MS / 1000} seconds.`;
  }
  if (/[^\x21-\x7e]/.test(key)) return 'The key has a character that no key has. Copy it again.';
  return navigator.onLine ? 'The API did not answer. Send it again in a moment.' : 'You are offline.';
}

async function readBody(response: Response): Promise<Pick<Answer, 'text' | 'bytes' | 'isComplete'>> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const part = await reader?.read();
    if (!part?.value) return { text: text + decoder.decode(), bytes, isComplete: true };
    bytes += part.value.byteLength;
    text += decoder.decode(part.value, { stream: true });
    if (bytes <= MAX_BODY_BYTES) continue;
    await reader?.cancel();
    return { text, bytes, isComplete: false };
  }
}
