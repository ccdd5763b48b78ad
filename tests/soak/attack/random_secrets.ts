import { randomInt } from 'node:crypto';
import { base62, crc32 } from '../../../functions/api/http/keys.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBase62 = (length: number): string =>
  Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('');
const withChecksum = (text: string): string => text + base62(crc32(text), 6);

/** A key with a right checksum that no organization has. */
export const randomKey = (): string => withChecksum(`sk_live_${randomBase62(8)}_${randomBase62(32)}`);

/** A ticket with a right checksum that was never minted. */
export const randomTicket = (): string => withChecksum(`st_${randomBase62(26)}`);

/** A ticket with a wrong checksum. */
export const badTicket = (): string => `st_${randomBase62(26)}000000`;
