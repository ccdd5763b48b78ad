/**
 * The checksum of API keys and of stream tickets: CRC-32 of the characters before it as a base62
 * number of six digits, most significant first. account.checksum() in sql/52_account_keys.sql is
 * the same; tests check both against tests/account/key_vectors.json.
 */
const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
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

/** `text` with its checksum at the end. */
export function withChecksum(text: string): string {
  return text + base62(crc32(text), CHECKSUM_CHARACTERS);
}

/** Whether the last six characters of `text` are the checksum of those before them. */
export function endsWithChecksum(text: string): boolean {
  return text === withChecksum(text.slice(0, -CHECKSUM_CHARACTERS));
}
