/**
 * The exchange indexes of venue A since 2026-08-24 (venues.md G2): the matching engines, each of
 * which can be paused alone. Combos are on index 1 and are not simulated.
 */
export const EXCHANGE_INDEXES: readonly { index: number; description: string }[] = [
  { index: 0, description: 'Default' },
  { index: 1, description: 'Combos' },
  { index: 2, description: 'Crypto' },
  { index: 3, description: 'Tennis and baseball' },
];

/** Series of coins, and of tennis and baseball. */
const ON_INDEX: readonly [series: RegExp, index: number][] = [
  [/^KX(?:BTC|ETH)/, 2],
  [/^KX(?:ATP|WTA|MLB)/, 3],
];

/** The index of a series, event or market, by the series that its ticker begins with. */
export function exchangeIndexOf(ticker: string): number {
  return ON_INDEX.find(([series]) => series.test(ticker))?.[1] ?? 0;
}
