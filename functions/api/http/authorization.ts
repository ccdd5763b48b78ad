import { hashKey } from '../../_shared/http/hash_key.ts';
import { ApiError } from './errors.ts';
import { isWellFormedKey } from './keys.ts';

/**
 * The hash of the key in `Authorization: Bearer <key>` (lower-case hex of SHA-256). Throws ApiError 401 where there is no key
 * (`auth.missing_key`) or what is there cannot be one (`auth.malformed_key`); no query has run by then.
 */
export function keyHashOf(headers: Headers): string {
  return hashKey(bearerKeyOf(headers));
}

/** The key itself, of which the same is true. */
function bearerKeyOf(headers: Headers): string {
  const given = headers.get('Authorization')?.trim();
  if (!given) throw new ApiError('auth.missing_key');
  const [scheme = '', ...rest] = given.split(/\s+/);
  if (scheme.toLowerCase() !== 'bearer') throw new ApiError('auth.malformed_key');
  if (rest.length === 0) throw new ApiError('auth.missing_key');
  const [key = ''] = rest;
  if (rest.length > 1 || !isWellFormedKey(key)) throw new ApiError('auth.malformed_key');
  return key;
}

/** The key of a caller of MCP, who may send it bare in `X-API-Key` too. `Authorization` goes before it where both are there. */
export function agentKeyOf(headers: Headers): string {
  const bare = headers.get('X-API-Key')?.trim();
  if (headers.get('Authorization')?.trim() || !bare) return bearerKeyOf(headers);
  if (!isWellFormedKey(bare)) throw new ApiError('auth.malformed_key');
  return bare;
}
