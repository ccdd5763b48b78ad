import { easternParts, MINUTE, shortDate, tickerDate } from '../../core/eastern.ts';
import { listOnA } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import { atLeast } from './at_least.ts';
import type { Coin } from './coins.ts';

/** A coin's price at one time, for any strikes. */
export type Above = {
  seed: number;
  coin: Coin;
  at: number;
  moments: Moments;
  chance(strike: number): (t: number) => number;
  settled: number;
};

export const CF_BENCHMARKS = { name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' };

/**
 * The listing of venue A: the mean of an index over a minute, strictly above one cent less than the
 * label.
 */
export function aboveOnA({ seed, coin, at, moments, chance, settled }: Above, strikes: readonly number[]): EventA {
  const { hour, zone } = easternParts(at);
  const clock = `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'am' : 'pm'} ${zone}`;
  const title = `${coin.name} price on ${shortDate(at)} at ${clock}?`;
  return listOnA(
    {
      seed,
      ticker: `${coin.series}-${tickerDate(at)}${hour}`,
      title,
      sub: `On ${shortDate(at)} at ${clock}`,
      exclusive: false,
      collateral: 'DIRECNET',
      sources: [CF_BENCHMARKS],
      category: 'Crypto',
      strikeDate: at,
      listed: moments.listed_a,
      close: at,
      expected: at + 5 * MINUTE,
      settlementSeconds: 60,
      profile: { spread: [0.4, 1], size: [200, 3000] },
      expirationValue: settled.toFixed(2),
    },
    strikes.map((strike) =>
      atLeast(strike, (floor) => ({
        title,
        yes: `$${strike.toLocaleString('en-US')} or above`,
        rules: [
          `If the simple average of the sixty seconds of ${coin.index} before ${clock} is above ${floor} at ${clock} on ${shortDate(at)}, then the market resolves to Yes.`,
          `Not all cryptocurrency price data is the same. The official and final value used to determine this market is ${coin.index}, averaged over the last 60 seconds before the hour.`,
        ],
        fair: chance(strike),
        pays: settled > floor,
      })),
    ),
  );
}
