import { scramble } from '../core/random.ts';
import type { Ladder, Side } from './ladder.ts';

/**
 * Venue B's `hash`: 40 hex digits that identify the book of one token. Each level is added by XOR,
 * so a changed level needs two operations instead of a pass over the book, and the order of changes
 * does not matter.
 */
export type Fingerprint = readonly [number, number];

function mark(side: Side, price: number, size: number): Fingerprint {
  if (size === 0) return [0, 0];
  const a = scramble(Math.imul(4 * price + (side === 'bid' ? 20_011 : 40_013), 0x9e3779b1) ^ size);
  return [a, scramble(a ^ 0x5bd1e995 ^ Math.imul(size, 31))];
}

export function fingerprintOf(ladder: Ladder): Fingerprint {
  let a = 0;
  let b = 0;
  for (const side of ['bid', 'ask'] as const) {
    for (const [price, size] of side === 'bid' ? ladder.bids : ladder.asks) {
      const m = mark(side, price, size);
      a ^= m[0];
      b ^= m[1];
    }
  }
  return [a >>> 0, b >>> 0];
}

export function changedFingerprint(
  fingerprint: Fingerprint,
  side: Side,
  price: number,
  from: number,
  to: number,
): Fingerprint {
  const out = mark(side, price, from);
  const into = mark(side, price, to);
  return [(fingerprint[0] ^ out[0] ^ into[0]) >>> 0, (fingerprint[1] ^ out[1] ^ into[1]) >>> 0];
}

export function fingerprintText(token: string, fingerprint: Fingerprint): string {
  let word = scramble(fingerprint[0] ^ (token.charCodeAt(0) * 131 + token.charCodeAt(token.length - 1)));
  let text = '';
  for (let i = 0; i < 5; i++) {
    word = scramble(word ^ Math.imul(fingerprint[i % 2] as number, i + 1) ^ (token.charCodeAt(i + 1) || 7));
    text += word.toString(16).padStart(8, '0');
  }
  return text;
}
