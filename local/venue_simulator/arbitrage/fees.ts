import type { EventA, MarketB, SeriesA, WireFields } from '../universe/question.ts';

/**
 * Taker fees by the fields of the venues' own listings. Written independently of the product's fee
 * code on purpose, so that equal results were computed twice.
 */

/**
 * Prices are in $0.0001, fees in $0.000001. Null for a fee schedule that the listing does not
 * explain.
 */
export type FeeOf = (price: number) => number;

const QUADRATIC = /^quadratic(_with_maker_fees)?$/;

/**
 * M·0.07·p·(1-p), rounded up to $0.0001, with the series' M unless the event overrides it
 * (venues.md A8).
 */
export function feeOnA(series: SeriesA | undefined, event: EventA): FeeOf | null {
  const type = event.fields.fee_type_override ?? series?.fields.fee_type;
  const multiplier = wholeOf(event.fields.fee_multiplier_override ?? series?.fields.fee_multiplier, 10_000);
  if (multiplier === null || !QUADRATIC.test(String(type))) return null;
  // multiplier/1e4 · 7/100 · price·(1e4-price)/1e8 dollars, in $0.0001. Every product is far below
  // 2^53.
  return (price) => 100 * Math.ceil((multiplier * 7 * price * (10_000 - price)) / 1e10);
}

/** rate·p·(1-p), rounded up to $0.00001, by the market's own schedule (venues.md B6). */
export function feeOnB({ fields }: MarketB): FeeOf | null {
  if (fields.feesEnabled === false) return () => 0;
  const { rate, exponent } = (fields.feeSchedule ?? {}) as WireFields;
  const millionths = wholeOf(rate, 1_000_000);
  if (millionths === null || exponent !== 1) return null;
  return (price) => 10 * Math.ceil((millionths * price * (10_000 - price)) / 1e9);
}

function wholeOf(value: unknown, unitsPerOne: number): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value * unitsPerOne) : null;
}
