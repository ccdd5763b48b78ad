import { hashKey } from '../../_shared/http/hash_key.ts';
import { ApiError } from './errors.ts';
import { isWellFormedKey } from './keys.ts';

/**
 * SHA-256 of the key in `Authorization: Bearer <key>`, lower-case hex. Throws ApiError 401 before
 * any query: `auth.missing_key` without a key, `auth.malformed_key` where the text cannot be a key.
 */
export function keyHashOf(headers: Headers): string {
  return hashKey(bearerKeyOf(headers));
}

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

/**
 * The key of an MCP request, from `Authorization` or else from `X-API-Key`. Throws the same errors
 * as `keyHashOf`.
 */
export function agentKeyOf(headers: Headers): string {
  const bare = headers.get('X-API-Key')?.trim();
  if (headers.get('Authorization')?.trim() || !bare) return bearerKeyOf(headers);
  if (!isWellFormedKey(bare)) throw new ApiError('auth.malformed_key');
  return bare;
}
