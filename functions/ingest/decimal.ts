/**
 * Venue decimals as exact integers. Floats would leave levels of 1e-17 contracts and prices of 0.1
 * + 0.2 in a book. So a price is an integer of 1e-6 USD and a size an integer of 1e-6 contract from
 * the start. Sizes stay exact up to nine billion contracts (2^53 / 1e6).
 */

/** A decimal that cannot be parsed. `code` is stable and dotted, the message is for people. */
export class DecimalParseError extends Error {
  readonly code: string;
  constructor(code: string, detail: string) {
    super(detail);
    this.name = 'WireFault';
    this.code = code;
  }
}

export const ONE_USD = 1_000_000;
/** 1e-6 contract per 0.01 contract, the unit of everything that this service sends. */
export const MICRO_PER_HUNDREDTH = 10_000;

const DECIMALS = 6;
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, power) => 10 ** power);
const CHAR_ZERO = 48;
/** The most decimals of a result of `decimalOfNumber`. */
const SUM_DECIMALS = 24;

/**
 * Parses a plain decimal string as an integer of 1e-6. Zeros after the sixth decimal are allowed.
 * @throws DecimalParseError `<what>.not_a_number`, `<what>.too_fine` or `<what>.too_large`
 */
export function parseMicro(text: unknown, what: string): number {
  if (typeof text !== 'string' || text.length === 0 || text.length > 24) throw notANumber(text, what);
  let at = 0;
  const negative = text.charCodeAt(0) === 45;
  if (negative) at = 1;
  let value = 0;
  let decimals = -1;
  let digits = 0;
  for (; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - CHAR_ZERO;
    if (digit === -2 && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (digit < 0 || digit > 9) throw notANumber(text, what);
    digits += 1;
    if (decimals === DECIMALS) {
      if (digit !== 0) throw new DecimalParseError(`${what}.too_fine`, `${text} has more than ${DECIMALS} decimals.`);
      continue;
    }
    value = value * 10 + digit;
    if (decimals >= 0) decimals += 1;
  }
  if (digits === 0) throw notANumber(text, what);
  for (let missing = DECIMALS - Math.max(decimals, 0); missing > 0; missing -= 1) value *= 10;
  if (value > Number.MAX_SAFE_INTEGER)
    throw new DecimalParseError(`${what}.too_large`, `${text} is too large for a book.`);
  return negative && value !== 0 ? -value : value;
}

/**
 * Parses a price strictly between 0 and 1 USD, in 1e-6 USD. @throws DecimalParseError as
 * `parseMicro`, or `price.out_of_range`
 */
export function parsePrice(text: unknown): number {
  const price = parseMicro(text, 'price');
  if (price <= 0 || price >= ONE_USD)
    throw new DecimalParseError('price.out_of_range', `A price of ${String(text)} USD is not between 0 and 1 USD.`);
  return price;
}

/**
 * Parses a size of zero or more, in 1e-6 contract. @throws DecimalParseError as `parseMicro`, or
 * `size.negative`
 */
export function parseSize(text: unknown): number {
  const size = parseMicro(text, 'size');
  if (size < 0) throw new DecimalParseError('size.negative', `A level cannot hold ${String(text)} contracts.`);
  return size;
}

/** Renders an integer of 1e-6 as the shortest decimal string: 250000 → "0.25". */
export function formatMicro(value: number): string {
  const sign = value < 0 ? '-' : '';
  const digits = String(Math.abs(value)).padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS);
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * a·b·c / 10^decimals, rounded up. Exact for all whole factors of zero or more, as long as the
 * result is below 2^53. Almost every product fits a double, and bigints cost a hundred times as
 * much.
 */
export function productUp(a: number, b: number, c: number, decimals: number): number {
  const product = a * b * c;
  // The quotient is exact enough: its remainder is at least 1/divisor, which is more than half a
  // unit in the last place because the product is below 2^53.
  if (product <= Number.MAX_SAFE_INTEGER) return Math.ceil(product / (POWERS_OF_TEN[decimals] ?? 10 ** decimals));
  const divisor = 10n ** BigInt(decimals);
  return Number((BigInt(a) * BigInt(b) * BigInt(c) + divisor - 1n) / divisor);
}

/**
 * A JSON number (0.5, 5, 0.0025) as a plain decimal string. Null when it is not a number from 0 to
 * below 1e15: no fee or order size is larger, and the database counts in bigint. JSON numbers keep
 * their shortest text in a double, so the result is what the venue wrote.
 */
export function decimalOfNumber(value: unknown): string | null {
  if (typeof value === 'string') return /^\d{1,15}(\.\d{1,12})?$/.test(value) ? value : null;
  if (typeof value !== 'number' || !(value >= 0 && value < 1e15)) return null;
  const text = String(value);
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text;
}

/**
 * The exact sum of decimals as `decimalOfNumber` returns them. Null for no decimal, for one that is
 * null, and for a sum of 1e15 or more.
 */
export function sumOfDecimals(values: readonly (string | null)[]): string | null {
  if (values.length === 0) return null;
  let sum = 0n;
  for (const value of values) {
    if (value === null) return null;
    const [units = '', fraction = ''] = value.split('.');
    sum += BigInt(units + fraction.padEnd(SUM_DECIMALS, '0'));
  }
  const digits = String(sum).padStart(SUM_DECIMALS + 1, '0');
  const units = digits.slice(0, -SUM_DECIMALS);
  const fraction = digits.slice(-SUM_DECIMALS).replace(/0+$/, '');
  if (units.length > 15) return null;
  return fraction === '' ? units : `${units}.${fraction}`;
}

function notANumber(text: unknown, what: string): DecimalParseError {
  return new DecimalParseError(
    `${what}.not_a_number`,
    `${JSON.stringify(text) ?? 'undefined'} is not a decimal string.`.slice(0, 200),
  );
}
