import type { Opportunity } from './frames.ts';

/**
 * What a stake buys of an opportunity: whole contracts of each leg, and amounts in USD. The cost
 * between two points of the size curve is a straight line, because the asks of the legs change at
 * the points only; the rounding of an order can add up to a cent a leg.
 */
export type StakeResult = {
  contracts: number;
  cost_usd: number;
  profit_usd: number;
  edge_pct: number;
  /** Why not more: it lowers the profit, or no larger size is known. Null: the stake is used. */
  limit: 'profit' | 'depth' | null;
};

/** Sizes in 0.01 contract and costs in 1e-8 USD, so that no amount is rounded. */
type CurvePoint = { size: bigint; cost: bigint };

const HUNDREDTHS = 100n;
/** 0.01 contract pays $0.01. */
const PAYOUT_OF_HUNDREDTH = 1_000_000n;

type Terms = Pick<Opportunity, 'ladder' | 'max_contracts' | 'cost_per_payout_usd'>;

/** The purchase with the largest profit that costs at most the stake. Null: not one contract. */
export function resultOfStake(opportunity: Terms, stakeUsd: number): StakeResult | null {
  const { curve, isCut } = profitableCurve(opportunity);
  const stake = inUnits(stakeUsd);
  const last = curve.at(-1);
  if (!last) return null;
  let size = wholeContracts(last.cost <= stake ? last.size : sizeFor(curve, stake));
  while (size > 0n && costAt(curve, size) > stake) size -= HUNDREDTHS;
  if (size <= 0n) return null;
  const cost = costAt(curve, size);
  const profit = size * PAYOUT_OF_HUNDREDTH - cost;
  return {
    contracts: Number(size) / 100,
    cost_usd: inUsd(cost),
    profit_usd: inUsd(profit),
    // Points of the payout, with four decimals.
    edge_pct: Math.round((Number(profit) / Number(size * PAYOUT_OF_HUNDREDTH)) * 1e6) / 1e4,
    limit: last.cost > stake ? null : isCut ? 'profit' : 'depth',
  };
}

/** The size curve from nothing to the size with the largest profit. `isCut`: it goes on. */
function profitableCurve(opportunity: Terms): { curve: CurvePoint[]; isCut: boolean } {
  const { ladder, max_contracts, cost_per_payout_usd } = opportunity;
  const known = ladder?.length ? ladder : [{ contracts: max_contracts, cost_usd: max_contracts * cost_per_payout_usd }];
  const points = known.map(({ contracts, cost_usd }) => ({
    size: BigInt(Math.round(contracts * 100)),
    cost: inUnits(cost_usd),
  }));
  const profitOf = ({ size, cost }: CurvePoint) => size * PAYOUT_OF_HUNDREDTH - cost;
  let best = 0;
  for (const [at, point] of points.entries()) if (profitOf(point) > profitOf(points[best] as CurvePoint)) best = at;
  return { curve: [{ size: 0n, cost: 0n }, ...points.slice(0, best + 1)], isCut: best + 1 < points.length };
}

/** The part of the curve in which a value lies. */
function segmentOf(curve: readonly CurvePoint[], isBefore: (end: CurvePoint) => boolean): [CurvePoint, CurvePoint] {
  const at = Math.max(
    1,
    curve.findIndex((point, place) => place > 0 && isBefore(point)),
  );
  return [curve[at - 1] as CurvePoint, curve[at] as CurvePoint];
}

/** The cost of a size on the curve, rounded up. */
function costAt(curve: readonly CurvePoint[], size: bigint): bigint {
  const [from, to] = segmentOf(curve, (end) => size <= end.size);
  const [sizes, costs] = [to.size - from.size, to.cost - from.cost];
  return from.cost + ((size - from.size) * costs + sizes - 1n) / sizes;
}

/** The size that a stake below the cost of the whole curve buys, rounded down. */
function sizeFor(curve: readonly CurvePoint[], stake: bigint): bigint {
  const [from, to] = segmentOf(curve, (end) => stake <= end.cost);
  return from.size + ((stake - from.cost) * (to.size - from.size)) / (to.cost - from.cost);
}

const wholeContracts = (size: bigint): bigint => (size / HUNDREDTHS) * HUNDREDTHS;

const inUnits = (usd: number): bigint => BigInt(Math.round(usd * 1e8));

const inUsd = (units: bigint): number => Number(units) / 1e8;

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * The edge for 365 days at the same rate, in points of the payout, with two decimals: the rule of
 * `annualized_pct` in GET /v2/arbitrage. Null when the settlement is unknown or past.
 */
export function annualizedOf(edgePct: number, settlesAt: string | null | undefined, now: number): number | null {
  const left = settlesAt ? Date.parse(settlesAt) - now : Number.NaN;
  return left > 0 ? Math.round(((edgePct * YEAR_MS) / left) * 100) / 100 : null;
}

/** The stakes of the slider, in USD. */
export const stakes: readonly number[] = [1, 10, 100, 1000, 10_000].flatMap((ten) =>
  [10, 15, 20, 30, 50, 75].map((step) => step * ten),
);

export const MIN_STAKE = 10;
export const MAX_STAKE = 1_000_000;
export const DEFAULT_STAKE = 1000;

/** A stake in USD from text; null when it is not an amount between both limits. */
export function parseStake(text: string | null): number | null {
  const value = Number((text ?? '').replaceAll(',', ''));
  if (text === null || text.trim() === '' || Number.isNaN(value)) return null;
  return value >= MIN_STAKE && value <= MAX_STAKE ? Math.round(value * 100) / 100 : null;
}

/** The place on the slider that is nearest to a stake. */
export function placeOf(stake: number): number {
  const place = stakes.findIndex((one) => one >= stake);
  return place < 0 ? stakes.length - 1 : place;
}
