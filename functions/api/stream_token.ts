import { type Platform, platformOf } from './platform.ts';

/**
 * The token with which an API client joins Realtime (contract.md, Stream, way 2). It is good for
 * two minutes and for one organization, and names no person. Without `sub` the Data API finds no
 * user. Only stream.caller_orgs reads the claim `org`.
 */

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

export type StreamSettings = {
  /** Address of the stream function. */
  wsUrl: string;
  /** The platform and the signer of tokens; null: tickets contain no token for Realtime. */
  realtime: (Platform & { signer: Promise<Signer> }) | null;
};

/** Address of the gateway of `npm start`. */
const LOCAL_PLATFORM_URL = 'http://127.0.0.1:54321';

/**
 * From the environment of the function. The signing key is a secret of the function and is never in
 * the database: `STREAM_SIGNING_KEY` (ES256, for a hosted project, which publishes the public key),
 * else `STREAM_SIGNING_SECRET` (HS256).
 */
export function streamSettingsOf(env: (name: string) => string | undefined): StreamSettings {
  const platform = platformOf(env);
  const host = env('SUPABASE_URL')?.replace(/\/$/, '') ?? LOCAL_PLATFORM_URL;
  const wsUrl = env('STREAM_URL') || `${host.replace(/^http/, 'ws')}/functions/v1/stream`;
  const [key, secret] = [env('STREAM_SIGNING_KEY'), env('STREAM_SIGNING_SECRET')];
  if (!platform || (!key && !secret)) return { wsUrl, realtime: null };
  const signer = key ? createES256Signer(key) : createHS256Signer(secret ?? '');
  // The first use reports a bad key. Without this handler the rejection would end the function.
  signer.catch(() => {});
  return { wsUrl, realtime: { ...platform, signer } };
}

/** The result of stream.mint_ticket. */
type MintedTicket = {
  ticket: string;
  expires_in: number;
  allowed: { channels: string[]; max_conns: number };
  org_id: string;
  grant_id: string | null;
};

const TOKEN_SECONDS = 120;

/** Renders the response of POST /v1/stream/token from the minted ticket. */
export async function renderTicketResponse(
  body: string,
  settings: StreamSettings,
  nowMs = Date.now(),
): Promise<string> {
  const { ticket, expires_in, allowed, org_id, grant_id } = JSON.parse(body) as MintedTicket;
  return JSON.stringify({
    ticket,
    ws_url: settings.wsUrl,
    expires_in,
    allowed,
    realtime: await realtimeCredentials(settings, allowed.channels, org_id, grant_id, nowMs),
  });
}

async function realtimeCredentials(
  { realtime }: StreamSettings,
  channels: readonly string[],
  orgId: string,
  grantId: string | null,
  nowMs: number,
): Promise<object | null> {
  if (!realtime || !grantId) return null;
  const { url, apikey } = realtime;
  const iat = Math.floor(nowMs / 1000);
  const claims = {
    role: 'authenticated',
    aud: 'authenticated',
    org: orgId,
    jti: grantId,
    iat,
    exp: iat + TOKEN_SECONDS,
  };
  const signer = await realtime.signer;
  return {
    url,
    apikey,
    access_token: await signer.sign(claims),
    expires_in: TOKEN_SECONDS,
    topics: channels.filter((channel) => channel !== 'quotes:all'),
  };
}
