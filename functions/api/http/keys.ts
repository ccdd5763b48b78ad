import { endsWithChecksum } from '../../_shared/checksum.ts';

/**
 * The form of API keys, as sql/52_account_keys.sql generates them: `sk_live_` + 8 of public id +
 * `_` + 32 random + 6 of checksum, base62 (0-9 A-Z a-z). The database stores the SHA-256 of all 55
 * (_shared/http/hash_key.ts).
 */
const KEY_PATTERN = /^sk_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;

/**
 * Whether the form and the checksum of `key` are right. A typing error is rejected before any
 * query.
 */
export function isWellFormedKey(key: string): boolean {
  return KEY_PATTERN.test(key) && endsWithChecksum(key);
}
