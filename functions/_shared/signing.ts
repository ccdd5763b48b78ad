import type { Environment } from './settings.ts';

/** Signs the claims of a token. */
export type Signer = { sign(claims: Record<string, unknown>): Promise<string> };

/**
 * Signs with the private key that a hosted project has imported: a P-256 JWK with `kid`, as JSON.
 */
export async function createES256Signer(jwk: string): Promise<Signer> {
  const { kid, ...key } = JSON.parse(jwk) as JsonWebKey & { kid?: string };
  if (!kid || key.kty !== 'EC' || key.crv !== 'P-256' || !key.d) {
    throw new Error('STREAM_SIGNING_KEY must be a private JWK of P-256 with its kid, as JSON.');
  }
  const { kty, crv, x, y, d } = key;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const imported = await crypto.subtle.importKey('jwk', { kty, crv, x, y, d } as JsonWebKey, algorithm, false, [
    'sign',
  ]);
  return {
    sign: (claims) =>
      encodeToken({ alg: 'ES256', typ: 'JWT', kid }, claims, (text) =>
        // WebCrypto returns r followed by s, the form that a JWT needs.
        crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, imported, text),
      ),
  };
}

/** Signs with the secret that a project shares with Auth. For a local stack. */
export async function createHS256Signer(secret: string): Promise<Signer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign']);
  return {
    sign: (claims) =>
      encodeToken({ alg: 'HS256', typ: 'JWT' }, claims, (text) => crypto.subtle.sign('HMAC', imported, text)),
  };
}

async function encodeToken(
  header: object,
  claims: object,
  sign: (text: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>,
): Promise<string> {
  const text = `${encodePart(JSON.stringify(header))}.${encodePart(JSON.stringify(claims))}`;
  const signature = new Uint8Array(await sign(new TextEncoder().encode(text)));
  return `${text}.${base64url(String.fromCharCode(...signature))}`;
}

const encodePart = (json: string): string => base64url(String.fromCharCode(...new TextEncoder().encode(json)));
const base64url = (bytes: string): string => btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/**
 * The signer of the tokens for Realtime; null where no key is set. The key is a secret of the
 * functions and is never in the database: `STREAM_SIGNING_KEY` (ES256, for a hosted project, which
 * publishes the public key), else `STREAM_SIGNING_SECRET` (HS256).
 */
export function streamSignerOf(env: Environment): Promise<Signer> | null {
  const [key, secret] = [env('STREAM_SIGNING_KEY'), env('STREAM_SIGNING_SECRET')];
  if (!key && !secret) return null;
  const signer = key ? createES256Signer(key) : createHS256Signer(secret ?? '');
  // The first use reports a bad key. Without this handler the rejection would end the function.
  signer.catch(() => {});
  return signer;
}
