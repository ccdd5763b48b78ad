import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBase62 = (length: number): string =>
  Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('');

/** `text` with the checksum of keys and tickets: CRC-32 in base62, 6 digits. */
function withChecksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < 6; rest = Math.floor(rest / 62)) digits = DIGITS[rest % 62] + digits;
  return text + digits;
}

/** A key with a right checksum that no organization has. */
export const randomKey = (): string => withChecksum(`sk_live_${randomBase62(8)}_${randomBase62(32)}`);

/** A ticket with a right checksum that was never minted. */
export const randomTicket = (): string => withChecksum(`st_${randomBase62(26)}`);

/** A ticket with a wrong checksum. */
export const badTicket = (): string => `st_${randomBase62(26)}000000`;
