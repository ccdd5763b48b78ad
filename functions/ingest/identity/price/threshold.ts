import { decimalOfNumber } from '../../decimal.ts';

/**
 * A price level as canonical decimal text: "82500", "0.7", "1.9". It is text because it is part of
 * a key, and two floats of one level may differ.
 */
export type Price = string;

const MULTIPLES: { readonly [letter: string]: number } = { k: 3, m: 6, b: 9 };

/**
 * Parses digits with an optional point and moves the point `places` to the right. Null for anything
 * else.
 */
function canonical(digits: string, places = 0): Price | null {
  const match = /^(\d{1,15})(?:\.(\d{1,12}))?$/.exec(digits);
  if (!match) return null;
  const fraction = (match[2] ?? '').padEnd(places, '0');
  const whole = `${match[1]}${fraction.slice(0, places)}`.replace(/^0+(?=\d)/, '');
  const rest = fraction.slice(places).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** Parses a strike field: a JSON number or a decimal string above zero. */
export function parsePrice(value: unknown): Price | null {
  const decimal = decimalOfNumber(typeof value === 'string' ? value.trim() : value);
  const price = decimal === null ? null : canonical(decimal);
  return price === '0' ? null : price;
}

/**
 * Parses a label that is one price: "$82,500", "64k", "↑ 110,000 ", "1.60", "$1.5m". Null for a
 * range or for a label with other words.
 */
export function parsePriceLabel(label: string): Price | null {
  const match = /^(?:[↑↓⬆⬇▲▼]\uFE0F?)?\s*\$?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*([kmb])?\s*$/i.exec(
    label.trim(),
  );
  if (!match) return null;
  const price = canonical((match[1] ?? '').replace(/,/g, ''), MULTIPLES[(match[2] ?? '').toLowerCase()] ?? 0);
  return price === '0' ? null : price;
}

/** Parses a price in a venue_b slug: "64k", "1pt6", "82500". */
export const parsePriceSlug = (slug: string): Price | null =>
  /^\d+(?:pt\d+)?[kmb]?$/.test(slug) ? parsePriceLabel(slug.replace('pt', '.')) : null;

const SCALE = 12;

function scaled(price: Price): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0').slice(0, SCALE));
}

export const byPrice = (a: Price, b: Price): number => {
  const difference = scaled(a) - scaled(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

const decimalsOf = (price: Price): number => price.split('.')[1]?.length ?? 0;

function addSteps(price: Price, steps: 1n | -1n, decimals: number): Price | null {
  const unit = 10n ** BigInt(SCALE - decimals);
  const value = scaled(price) + steps * unit;
  if (value <= 0n) return null;
  const text = value.toString().padStart(SCALE + 1, '0');
  return canonical(`${text.slice(0, -SCALE)}.${text.slice(-SCALE)}`);
}

/**
 * Returns the level of a strict strike. venue_a writes "at or above $78,000" as more than
 * 77,999.99, one step of the last decimal below a rounder number. A round strike excludes its own
 * level.
 */
export function levelOfStrictStrike(strike: Price, side: 'above' | 'below'): { level: Price; inclusive: boolean } {
  const decimals = decimalsOf(strike);
  const rounder = side === 'above' ? /99$/ : /01$/;
  const step =
    decimals >= 2 && rounder.test(strike.replace('.', ''))
      ? addSteps(strike, side === 'above' ? 1n : -1n, decimals)
      : null;
  return step === null ? { level: strike, inclusive: false } : { level: step, inclusive: true };
}

/**
 * Whether `level` is the first value of the same number of decimals that a strict `strike` of cents
 * or finer includes.
 */
export const isNextPrice = (strike: Price, level: Price, side: 'above' | 'below'): boolean =>
  decimalsOf(strike) >= 2 && addSteps(strike, side === 'above' ? 1n : -1n, decimalsOf(strike)) === level;
