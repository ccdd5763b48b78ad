/**
 * Stateless random numbers: each is a function of a key and a position. A restarted simulator must
 * continue the same world, so no number may depend on how many were drawn before.
 */

/** A 32-bit key of any parts. Equal parts give equal keys in every process. */
export function keyOf(...parts: readonly (string | number)[]): number {
  let h = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    h = Math.imul(h ^ 0x1f, 0x01000193);
  }
  return scramble(h);
}

/** Spreads a 32-bit integer over all its bits. */
export function scramble(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The number in [0, 1) at an integer position of a key's sequence. */
export function unit(key: number, position = 0): number {
  return scramble(key ^ Math.imul(position | 0, 0x9e3779b1)) / 0x1_0000_0000;
}

/** An integer in [0, below). */
export function pick(key: number, position: number, below: number): number {
  return Math.floor(unit(key, position) * below);
}

/** Roughly normal with mean 0 and deviation 1, within (-3.5, 3.5). */
export function bell(key: number, position = 0): number {
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += unit(key, position * 4 + i);
  return (sum - 2) * 1.732;
}

/** A smooth bounded wave in [-1, 1]: fixed values every `period`, interpolated between them. */
export function wave(key: number, time: number, period: number): number {
  const place = time / period;
  const left = Math.floor(place);
  const part = place - left;
  const eased = part * part * (3 - 2 * part);
  const a = unit(key, left);
  const b = unit(key, left + 1);
  return (a + (b - a) * eased) * 2 - 1;
}

/** The same elements in an order that the key determines. */
export function shuffled<T>(key: number, list: readonly T[]): T[] {
  return list
    .map((item, index) => ({ item, rank: unit(key, index) }))
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.item);
}
