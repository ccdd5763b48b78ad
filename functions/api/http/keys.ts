/**
 * The form of API keys, as sql/52_account_keys.sql generates them: `sk_live_` + 8 of public id +
 * `_` + 32 random + 6 of checksum, base62 (0-9 A-Z a-z). The checksum is CRC-32 of the 49
 * characters before it in base62, 6 digits, most significant first. The database stores the SHA-256
 * of all 55 (_shared/http/hash_key.ts). Tests check SQL and TypeScript against
 * tests/account/key_vectors.json.
 */
const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_PATTERN = /^sk_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;
const CHECKSUM_CHARACTERS = 6;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  return crc;
});

/** CRC-32 (zip, png) of the UTF-8 bytes of `text`. */
export function crc32(text: string): number {
  let crc = 0xff_ff_ff_ff;
  for (const byte of new TextEncoder().encode(text)) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

/** `value` in base62 with exactly `digits` digits, most significant first. */
export function base62(value: number, digits: number): string {
  let text = '';
  for (let rest = value, i = 0; i < digits; i++, rest = Math.floor(rest / 62)) text = BASE62_DIGITS[rest % 62] + text;
  return text;
}

/**
 * Whether the form and the checksum of `key` are right. A typing error is rejected before any
 * query.
 */
export function isWellFormedKey(key: string): boolean {
  return (
    KEY_PATTERN.test(key) &&
    base62(crc32(key.slice(0, -CHECKSUM_CHARACTERS)), CHECKSUM_CHARACTERS) === key.slice(-CHECKSUM_CHARACTERS)
  );
}
