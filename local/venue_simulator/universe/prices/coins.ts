import { DAY, HOUR } from '../../core/eastern.ts';
import { bell, keyOf, wave } from '../../core/random.ts';

/** The coins with their names and settlement sources on each venue, and their hidden prices. */
export type Coin = {
  series: string;
  /** Part of venue A's series and tickers of monthly extremes. */
  ticker: string;
  name: string;
  long: string;
  index: string;
  symbol: string;
  price: number;
  step: number;
  volatility: number;
};

export const COINS: readonly Coin[] = [
  {
    series: 'KXBTCD',
    ticker: 'BTC',
    name: 'Bitcoin',
    long: 'bitcoin',
    index: "CF Benchmarks' Bitcoin Real-Time Index (BRTI)",
    symbol: 'BTC/USDT',
    price: 78_000,
    step: 1_000,
    volatility: 0.022,
  },
  {
    series: 'KXETHD',
    ticker: 'ETH',
    name: 'Ethereum',
    long: 'ethereum',
    index: "CF Benchmarks' Ethereum Real-Time Index (ERTI)",
    symbol: 'ETH/USDT',
    price: 2_600,
    step: 50,
    volatility: 0.03,
  },
];
export function priceAt(seed: number, coin: Coin, base: number) {
  const key = keyOf(seed, coin.series, 'price');
  const first = coin.price * Math.exp(0.15 * bell(key, 1));
  return (t: number) =>
    first *
    Math.exp(
      coin.volatility *
        (1.6 * wave(key ^ 1, t - base, 3 * DAY) +
          0.5 * wave(key ^ 2, t - base, 5 * HOUR) +
          0.12 * wave(key ^ 3, t - base, 30 * 60_000) +
          0.03 * wave(key ^ 4, t - base, 3 * 60_000)),
    );
}
