import { randomInt } from 'node:crypto';
import { base62, withChecksum } from '../../functions/_shared/checksum.ts';

const randomBase62 = (length: number): string => Array.from({ length }, () => base62(randomInt(62), 1)).join('');

/** A key with a right checksum that no organization has. */
export const randomKey = (): string => withChecksum(`sk_live_${randomBase62(8)}_${randomBase62(32)}`);

/** A ticket with a right checksum that was never minted. */
export const randomTicket = (): string => withChecksum(`st_${randomBase62(26)}`);

/** The same ticket each time. */
export const UNKNOWN_TICKET = withChecksum(`st_${'a'.repeat(26)}`);

/** A ticket with a wrong checksum. */
export const badTicket = (): string => `st_${randomBase62(26)}000000`;
