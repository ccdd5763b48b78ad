/** Prices are whole numbers of $0.0001, sizes of 0.01 contract: what both venues can express, and exact to add. */
export const DOLLAR = 10_000;
export const CONTRACT = 100;

/** Venue A writes prices with four decimals ("0.4300"), and with six where the grid is finer than $0.0001. */
export function dollars(price: number): string {
  if (!Number.isInteger(price)) return (price / DOLLAR).toFixed(6);
  const text = String(Math.abs(price)).padStart(5, '0');
  return `${price < 0 ? '-' : ''}${text.slice(0, -4)}.${text.slice(-4)}`;
}

/** Venue A writes counts with two decimals ("100.00"); deltas carry a sign. */
export function count(size: number): string {
  const text = String(Math.abs(size)).padStart(3, '0');
  return `${size < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Venue B writes the shortest form ("0.5", "0.001", "120"). */
export function plain(value: number, unitsPerOne: number): string {
  return String(value / unitsPerOne);
}

/** Whole units of a decimal string; throws on anything else, since a silent NaN would poison a book. */
export function units(text: string | number, unitsPerOne: number): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`not a decimal: ${String(text)}`);
  return Math.round(value * unitsPerOne);
}
