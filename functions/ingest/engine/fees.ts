import { ONE_USD, productUp } from '../decimal.ts';
import type { Fee } from '../listing.ts';

/**
 * Taker fees, in integers. Both venues charge a share of p(1-p). They differ in the share and in
 * the rounding: venue_a (quadratic) charges M·0.07 and rounds up to 1e-4 USD, venue_b (rate)
 * charges the rate and rounds up to 1e-5 USD (venues.md A8, B6). The finer unit that venue_a has
 * announced makes these fees too high, never too low. price.taker_fee (sql/45_price_best.sql) is
 * the same arithmetic for REST.
 */
export type FeeSchedule = {
  /** The share is factor / 10^decimals. */
  factor: number;
  decimals: number;
  /**
   * A fee is rounded up to this unit, in 1e-6 USD. `unitDecimals` is the same unit as decimals of a
   * dollar.
   */
  unit: number;
  unitDecimals: number;
  /**
   * Whether the venue rounds the balance change of a whole order to the cent, against the taker (an
   * ordinary account of venue_a).
   */
  roundsOrderToCents: boolean;
};

/** `waived`: the schedule before `waivedUntil`, which is -Infinity without a waiver. */
type ParsedFee = { schedule: FeeSchedule | null; waived: FeeSchedule | null; waivedUntil: number };

const parsedFees = new WeakMap<Fee, ParsedFee>();

/**
 * The schedule at `at`, market time in epoch ms. Null when it is unknown or cannot be parsed: an
 * unknown fee is never taken for zero. A waived fee is zero before the end of its waiver. Without a
 * time it counts in full.
 */
export function scheduleOf(fee: Fee | null, at = Number.POSITIVE_INFINITY): FeeSchedule | null {
  if (fee === null) return null;
  let parsed = parsedFees.get(fee);
  if (parsed === undefined) {
    parsed = parseFee(fee);
    parsedFees.set(fee, parsed);
  }
  return at < parsed.waivedUntil ? parsed.waived : parsed.schedule;
}

/** When the waiver of this fee ends, epoch ms. Null without a waiver that can be read. */
export function waiverEndOf(fee: Fee | null): number | null {
  const end = fee?.model === 'quadratic' ? Date.parse(fee.waived_until ?? '') : Number.NaN;
  return Number.isNaN(end) ? null : end;
}

/** The fee of one contract at this price, in 1e-6 USD (fee model `conservative_per_contract`). */
export function feePerContract(schedule: FeeSchedule, price: number): number {
  return feeOfFill(schedule, price, 100);
}

/**
 * The fee of one fill of `size` (0.01 contract) at this price, in 1e-6 USD. A share of zero costs
 * nothing. Any other share costs at least one unit.
 */
export function feeOfFill(schedule: FeeSchedule, price: number, size: number): number {
  // Tick sizes are a hundredth of a cent or coarser. Without the trailing zeros the product fits a
  // double.
  const step = price % 1_000 === 0 ? 3 : price % 100 === 0 ? 2 : 0;
  const grid = step === 3 ? 1_000 : step === 2 ? 100 : 1;
  const spread = (price / grid) * ((ONE_USD - price) / grid);
  // The size has 2 decimals and p(1-p) has 12 - 2·step. The decimals of the unit remain.
  const decimals = schedule.decimals + 2 + 12 - 2 * step - schedule.unitDecimals;
  return schedule.unit * productUp(schedule.factor, size, spread, decimals);
}

function parseFee(fee: Fee): ParsedFee {
  const schedule = parseSchedule(fee);
  const waived = schedule && { ...schedule, factor: 0 };
  return { schedule, waived, waivedUntil: waiverEndOf(fee) ?? Number.NEGATIVE_INFINITY };
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
