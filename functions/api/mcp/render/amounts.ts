/** Renders numbers with few tokens. */

/** A price in USD without leading and trailing zeros: .42 */
export const price = (value: unknown): string => (typeof value === 'number' ? trimmed(value, 4) : 'none');

export const trimmed = (value: number, digits: number): string =>
  String(Number(value.toFixed(digits))).replace(/^(-?)0\./, '$1.');

export const points = (value: unknown): string => (typeof value === 'number' ? `${trimmed(value, 4)} pts` : 'unpriced');

/** Dollars to the cent: $75.18. */
export const dollars = (value: number): string => `$${value.toLocaleString('en-US', { maximumFractionDigits: 2 })}`;

/** Whole dollars from ten on: $75, and $7.52. */
export const roundDollars = (value: number): string =>
  `$${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })}`;

/** To the minute: `2026-11-21 01:00Z`. */
export const minute = (iso: unknown): string =>
  typeof iso === 'string' ? `${iso.slice(0, 10)} ${iso.slice(11, 16)}Z` : 'unknown';

/** To the second, for the age of a price. */
export const second = (iso: unknown): string => (typeof iso === 'string' ? `${iso.slice(0, 19)}Z` : 'unknown');

export const countText = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
