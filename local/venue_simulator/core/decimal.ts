/**
 * Prices are integers of $0.0001, sizes of 0.01 contract: both venues can express them, and sums
 * are exact.
 */
export const DOLLAR = 10_000;
export const CONTRACT = 100;

/**
 * Venue A writes prices with four decimals ("0.4300"), and with six when the ticks are finer than
 * $0.0001.
 */
export function dollars(price: number): string {
  if (!Number.isInteger(price)) return (price / DOLLAR).toFixed(6);
  const text = String(Math.abs(price)).padStart(5, '0');
  return `${price < 0 ? '-' : ''}${text.slice(0, -4)}.${text.slice(-4)}`;
}

/** Venue A writes counts with two decimals ("100.00"). Deltas have a sign. */
export function count(size: number): string {
  const text = String(Math.abs(size)).padStart(3, '0');
  return `${size < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Venue B writes the shortest form ("0.5", "0.001", "120"). */
export function plain(value: number, unitsPerOne: number): string {
  return String(value / unitsPerOne);
}

/**
 * Units of a decimal string. Throws on anything else, because a silent NaN would corrupt a book.
 */
export function units(text: string | number, unitsPerOne: number): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`not a decimal: ${String(text)}`);
  return Math.round(value * unitsPerOne);
}
