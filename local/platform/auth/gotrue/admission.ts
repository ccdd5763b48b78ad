import type { IncomingMessage } from 'node:http';
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Admission } from '../../gateway/gateway.ts';
import { publicKeys, type SigningKey } from './signing_keys.ts';

/** What the gateway knows of the project's keys. */
export type ProjectKeys = {
  jwtSecret: string;
  signingKeys: readonly SigningKey[];
  /** The role of each API key (`sb_…`). */
  roles: ReadonlyMap<string, string>;
};

/** Paths that a browser opens by a link, and public documents. They need no API key, as hosted. */
const OPEN_PATHS = /^\/auth\/v1\/(verify|callback|authorize|\.well-known\/[a-z-]+(\.json)?)\/?(\?|$)/;
const noKey: Admission = {
  status: 401,
  code: 'auth.no_key',
  error: 'No API key was found. Send the publishable key of the project in the header apikey.',
};

/**
 * Admits requests to Auth. An API key is no JWT, so the gateway replaces it by a token of its role,
 * as the hosted gateway does.
 */
export function admitToAuth(keys: ProjectKeys): (request: IncomingMessage) => Promise<Admission> {
  return async (request): Promise<Admission> => {
    const { apikey, authorization } = request.headers;
    if (request.method === 'OPTIONS' || OPEN_PATHS.test(request.url ?? '')) return { headers: {} };
    const role = typeof apikey === 'string' ? keys.roles.get(apikey) : undefined;
    if (role === undefined) return noKey;
    if (authorization !== undefined && authorization !== `Bearer ${apikey}`) return { headers: {} };
    const token = await hs256({ role, exp: Math.floor(Date.now() / 1000) + 60 }, keys.jwtSecret);
    return { headers: { Authorization: `Bearer ${token}` } };
  };
}

/**
 * Admits requests to the Data API. `@supabase/lite` verifies HS256 only, so a session that Auth has
 * signed with a published key reaches it as an HS256 token of the same claims. A token that cannot
 * be verified goes on unchanged, and lite rejects it.
 */
export function admitToDataApi(keys: ProjectKeys): (request: IncomingMessage) => Promise<Admission> {
  const published = createLocalJWKSet(publicKeys(keys.signingKeys));
  return async (request): Promise<Admission> => {
    const [, token] = /^bearer\s+(\S+\.\S+\.\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const claims = token === undefined ? undefined : await verifiedClaims(token, published);
    if (!claims) return { headers: {} };
    return { headers: { Authorization: `Bearer ${await hs256(claims, keys.jwtSecret)}` } };
  };
}

/** The claims of a token with a valid signature, also of an expired one. */
async function verifiedClaims(
  token: string,
  published: ReturnType<typeof createLocalJWKSet>,
): Promise<JWTPayload | undefined> {
  try {
    return (await jwtVerify(token, published, { algorithms: ['ES256'] })).payload;
  } catch (error) {
    // lite then answers that the token has expired, as PostgREST does.
    return error instanceof errors.JWTExpired ? error.payload : undefined;
  }
}

function hs256(claims: JWTPayload, secret: string): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(secret));
}
