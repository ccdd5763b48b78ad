import { hash } from 'node:crypto';

/**
 * Stable ids: the same question has the same ids after a restart and in every process with the same
 * seed.
 */
const digest = (text: string): string => hash('sha256', text);

export function uuidOf(...parts: readonly (string | number)[]): string {
  const h = digest(parts.join('|'));
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

/** "0x" and 64 hex digits: condition and question ids of venue B. */
export function conditionOf(...parts: readonly (string | number)[]): string {
  return `0x${digest(parts.join('|'))}`;
}

/**
 * Condition ids of venue B's protocol v2: its metadata API writes them with 31 bytes, its data API
 * with 32, the last one zero.
 */
export function conditionV2Of(...parts: readonly (string | number)[]): string {
  return `0x01${digest(parts.join('|')).slice(0, 60)}`;
}

/** A condition id with 32 bytes. */
export const wideCondition = (condition: string): string => condition.padEnd(66, '0');

/** The position ids of a v2 condition: its bytes and the number of the outcome. */
export function positionsOf(condition: string): [string, string] {
  const zero = BigInt(wideCondition(condition));
  return [zero.toString(), (zero + 1n).toString()];
}

/** A 256-bit number in decimal: outcome tokens of venue B. */
export function tokenOf(...parts: readonly (string | number)[]): string {
  return BigInt(`0x${digest(parts.join('|'))}`).toString();
}

/** Nine digits: row ids of venue B. */
export function rowIdOf(...parts: readonly (string | number)[]): string {
  return String(100_000_000 + (Number.parseInt(digest(parts.join('|')).slice(0, 12), 16) % 900_000_000));
}
