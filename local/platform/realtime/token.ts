import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { z } from 'zod';

/** The claims of a token. `sub` and others are for the policies. */
export type Claims = { role: string; exp: number; [name: string]: unknown };

export type Keyring = {
  /** Signs and checks HS256. */
  secret: string;
  /** By `kid`, for ES256. */
  published: ReadonlyMap<string, KeyObject>;
  /** The platform's own keys (`sb_…`) and the role of each. */
  platformKeys: ReadonlyMap<string, string>;
};

type Code = 'InvalidJWTToken' | 'MalformedJWT' | 'JwtSignatureError' | 'JwtSignerError';

/** An invalid token. `message` is Realtime's own text; the reason of a join begins with `code`. */
export class TokenRejected extends Error {
  readonly code: Code;
  /** True for an expired token. */
  readonly expired: boolean;

  constructor(code: Code, text: string, expired = false) {
    super(text);
    this.code = code;
    this.expired = expired;
  }
}

const header = z.object({ alg: z.string(), typ: z.string().optional(), kid: z.string().optional() });
const claims = z.looseObject({ role: z.string(), exp: z.int() });

const malformed = () => new TokenRejected('MalformedJWT', 'The token provided is not a valid JWT');
const signature = () => new TokenRejected('JwtSignatureError', 'Failed to validate JWT signature');

/** The claims of a valid token. Throws TokenRejected. */
export function verifyToken(token: string, keyring: Keyring, nowMs = Date.now()): Claims {
  const parts = token.split('.');
  const [head = '', body = '', sealed = ''] = parts;
  const given = header.safeParse(fromPart(head));
  const payload = z.record(z.string(), z.unknown()).safeParse(fromPart(body));
  if (parts.length !== 3 || !given.success || !payload.success) throw malformed();
  if (!hasValidSignature(`${head}.${body}`, Buffer.from(sealed, 'base64url'), given.data, keyring)) throw signature();
  const read = claims.safeParse(payload.data);
  if (!read.success) throw new TokenRejected('InvalidJWTToken', 'Fields `role` and `exp` are required in JWT');
  const late = Math.floor(nowMs / 1000) - read.data.exp;
  if (late >= 0) throw new TokenRejected('InvalidJWTToken', `Token has expired ${late} seconds ago`, true);
  return read.data;
}

function fromPart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function hasValidSignature(
  text: string,
  sealed: Buffer,
  { alg, typ, kid }: z.infer<typeof header>,
  keyring: Keyring,
): boolean {
  const unknown = () =>
    new TokenRejected('JwtSignerError', 'Failed to generate JWT signer, check your JWT secret or JWKS configuration');
  // The platform rejects a token whose header lacks "typ":"JWT", although few other services check
  // it.
  if (typ !== 'JWT') throw unknown();
  if (alg === 'HS256') {
    const right = createHmac('sha256', keyring.secret).update(text).digest();
    return sealed.length === right.length && timingSafeEqual(sealed, right);
  }
  const key = alg === 'ES256' && kid !== undefined ? keyring.published.get(kid) : undefined;
  if (!key) throw unknown();
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, sealed);
}

const DAY_MS = 86_400_000;

/**
 * The hosted gateway exchanges a platform key for a token of its role before Realtime receives a
 * request. It is valid for a day; a connection without a user's token ends then. Any other value is
 * returned unchanged.
 */
export function swapPlatformKey(given: string, keyring: Keyring, nowMs = Date.now()): string {
  const role = keyring.platformKeys.get(given);
  if (role === undefined) return given;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role, exp: Math.floor((nowMs + DAY_MS) / 1000) })}`;
  return `${text}.${createHmac('sha256', keyring.secret).update(text).digest('base64url')}`;
}

const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) });

/** The public keys of a JWKS document (JSON text) that can check ES256. */
export function publishedKeys(document: string | undefined): Map<string, KeyObject> {
  if (!document) return new Map();
  const { keys } = keySet.parse(JSON.parse(document));
  return new Map(
    keys
      .filter((key) => key.kty === 'EC')
      .map((key) => [key.kid, createPublicKey({ key: key as Record<string, unknown>, format: 'jwk' })]),
  );
}
