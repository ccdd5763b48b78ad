import { constants, verify } from 'node:crypto';
import type { RequestHeaders } from '../core/venue.ts';
import type { PublicAccessKey } from './keys.ts';

/** An older or newer signature is rejected, so that a recorded handshake cannot be reused. */
const TOLERANCE_MS = 60_000;

/**
 * Checks the signature of a handshake as venue A does: base64(RSA-PSS, SHA-256, salt as long as the
 * digest) over timestamp + "GET" + path. Returns the reason of a rejection, or null.
 */
export function authErrorOf(headers: RequestHeaders, path: string, key: PublicAccessKey, now: number): string | null {
  const id = headers['kalshi-access-key'];
  const timestamp = headers['kalshi-access-timestamp'];
  const signature = headers['kalshi-access-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return 'missing headers';
  if (id !== key.id) return 'unknown key';
  if (!/^\d{13}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_MS) return 'timestamp';
  const signed = verify(
    'sha256',
    Buffer.from(`${timestamp}GET${path}`),
    { key: key.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
    Buffer.from(signature, 'base64'),
  );
  return signed ? null : 'signature';
}
