import { SignInBrake } from './sign_in_brake.ts';

type Handler = (request: Request) => Promise<Response>;

/** Fields of a body of Auth that are texts. lite answers 500 to another type in some of them. */
const TEXT_FIELDS = ['email', 'phone', 'password', 'token', 'token_hash', 'refresh_token', 'type', 'auth_code'];

/** Longest body of a request to Auth, bytes. */
const MAX_BODY_BYTES = 100_000;

/**
 * Puts in front of lite what Supabase Auth does and lite does not: it rejects bodies with fields of
 * other types, slows guesses of a password, and answers a path that it does not serve with JSON.
 */
export function guarded(lite: Handler, brake = new SignInBrake()): Handler {
  const oneByOne = turns();
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith('/auth/v1/')) return lite(request);
    const body = request.body === null ? '' : await textOf(request.body);
    if (body === undefined) return refusal(413, 'request_too_large', 'The body is too large.');
    const fields = body === '' ? {} : objectOf(body);
    const wrong = fields === undefined ? 'It must be a JSON object without U+0000.' : fieldError(fields);
    if (wrong !== undefined) return refusal(400, 'bad_json', `Could not parse request body as JSON: ${wrong}`);
    const asked = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === null ? {} : { body }),
    });
    const email = fields?.email;
    if (typeof email !== 'string') return asJson(await lite(asked));
    if (pathname === '/auth/v1/signup') return asJson(await oneByOne(email.toLowerCase(), () => lite(asked)));
    if (searchParams.get('grant_type') !== 'password') return asJson(await lite(asked));
    if (!brake.admits(email)) return refusal(429, 'over_request_rate_limit', 'Request rate limit reached');
    const answer = asJson(await lite(asked));
    if (answer.ok) brake.succeeded(email);
    return answer;
  };
}

/** Runs the work of one name in order. lite answers 500 to two sign-ups of one address at once. */
function turns(): <Result>(name: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, turn);
    const forget = () => {
      if (last.get(name) === turn) last.delete(name);
    };
    turn.then(forget, forget);
    return turn;
  };
}

/** The text of a body; undefined when it is too long. */
async function textOf(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    // The rest is read as well, so that the connection can be used again.
    if (bytes <= MAX_BODY_BYTES) parts.push(part);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
}

/** Undefined for what is no JSON object, and for one with U+0000, which Postgres cannot store. */
function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text, (name, value: unknown) => {
      if (name.includes('\0') || (typeof value === 'string' && value.includes('\0'))) throw new SyntaxError('U+0000');
      return value;
    });
    const isObject = typeof read === 'object' && read !== null && !Array.isArray(read);
    return isObject ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with the fields; undefined when nothing is. */
function fieldError(fields: Record<string, unknown>): string | undefined {
  const name = TEXT_FIELDS.find((field) => fields[field] !== undefined && typeof fields[field] !== 'string');
  return name === undefined ? undefined : `${name} must be a string.`;
}

/** lite answers a path that it does not know with a page of its own, also with status 200. */
function asJson(answer: Response): Response {
  const type = answer.headers.get('content-type') ?? '';
  if (!type.startsWith('text/')) return answer;
  return refusal(404, 'not_found', 'The local stand-in of Auth does not serve this path.');
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ code: status, error_code: code, msg: message }, { status });
}
