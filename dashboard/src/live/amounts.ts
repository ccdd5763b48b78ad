import { NO_VALUE } from '../components/format.ts';

/** Cents with up to two decimals, as fees need them: $0.0124 → 1.24¢, $0.62 → 62¢. */
export function formatPrice(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return NO_VALUE;
  const cents = Math.round(usd * 1e4) / 100;
  return `${cents.toFixed(Number.isInteger(cents) ? 0 : Number.isInteger(cents * 10) ? 1 : 2)}¢`;
}

/**
 * Edge in points with two decimals, because after fees a hundredth of a point matters: 1.45 pts.
 */
export const edgeOf = (pct: number): string => `${pct.toFixed(2)} pts`;

const contracts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** A number of contracts with up to two decimals; venues trade hundredths of a contract. */
export const contractsOf = (value: number): string => contracts.format(value);

/** How long a venue delays an order of this leg: "250 ms", "1 s". Null without a known delay. */
export function delayOf(leg: { match_delay_ms?: number; match_delay_seconds?: number }): string | null {
  // A frame of an older service has seconds only.
  const ms = leg.match_delay_ms ?? (leg.match_delay_seconds ?? 0) * 1000;
  if (ms <= 0) return null;
  return ms < 1000 ? `${contracts.format(ms)} ms` : `${contracts.format(ms / 1000)} s`;
}
