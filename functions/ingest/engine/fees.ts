import { ONE_USD, productUp } from '../decimal.ts';
import type { Fee } from '../listing.ts';

/**
 * What a taker pays, in integers. Both venues charge a share of p(1-p); they differ in the share and in what they round up to:
 * venue_a (quadratic) M·0.07 to 1e-4 USD, venue_b (rate) the rate to 1e-5 USD (venues.md A8, B6). The finer unit that venue_a is about
 * to use only makes these fees too high.
 */
export type FeeSchedule = {
  /** The share is factor / 10^decimals. */
  factor: number;
  decimals: number;
  /** What a fee is rounded up to, in 1e-6 USD and as the power of ten that it is of a dollar. */
  unit: number;
  unitDecimals: number;
  /** Whether a whole order's balance change is rounded to the cent, against the taker (an ordinary account of venue_a). */
  roundsOrderToCents: boolean;
};

const parsedSchedules = new WeakMap<Fee, FeeSchedule | null>();

/** A schedule that is unknown, or that cannot be read, is null: it is never taken for zero. */
export function scheduleOf(fee: Fee | null): FeeSchedule | null {
  if (fee === null) return null;
  const known = parsedSchedules.get(fee);
  if (known !== undefined) return known;
  const schedule = parseSchedule(fee);
  parsedSchedules.set(fee, schedule);
  return schedule;
}

/** In 1e-6 USD: the fee of one contract at this price, as opportunities are reckoned (fee_model `conservative_per_contract`). */
export function feePerContract(schedule: FeeSchedule, price: number): number {
  return feeOfFill(schedule, price, 100);
}

/** In 1e-6 USD: the fee of one fill of `size` (0.01 contract) at this price. A share of zero costs nothing, any other at least one unit. */
export function feeOfFill(schedule: FeeSchedule, price: number, size: number): number {
  // Prices stand on a grid of a hundredth of a cent or coarser; without their zeros the product fits a double.
  const step = price % 1_000 === 0 ? 3 : price % 100 === 0 ? 2 : 0;
  const grid = step === 3 ? 1_000 : step === 2 ? 100 : 1;
  const spread = (price / grid) * ((ONE_USD - price) / grid);
  // 2 decimals of the size, 12 - 2·step of p(1-p); those of the unit are what shall be left.
  const decimals = schedule.decimals + 2 + 12 - 2 * step - schedule.unitDecimals;
  return schedule.unit * productUp(schedule.factor, size, spread, decimals);
}

function parseSchedule(fee: Fee): FeeSchedule | null {
  const text = fee.model === 'quadratic' ? fee.multiplier : fee.rate;
  if (!/^\d{1,15}(\.\d{1,12})?$/.test(text)) return null;
  const [whole = '', fraction = ''] = text.split('.');
  const digits = fraction.replace(/0+$/, '');
  const share = Number(whole + digits);
  if (fee.model === 'rate')
    return buildSchedule(share, digits.length, { unit: 10, unitDecimals: 5, roundsOrderToCents: false });
  return buildSchedule(7 * share, digits.length + 2, { unit: 100, unitDecimals: 4, roundsOrderToCents: true });
}

function buildSchedule(
  factor: number,
  decimals: number,
  rounding: Pick<FeeSchedule, 'unit' | 'unitDecimals' | 'roundsOrderToCents'>,
): FeeSchedule | null {
  return Number.isSafeInteger(factor) ? { factor, decimals, ...rounding } : null;
}
