import { easternParts, longDay } from '../../core/eastern.ts';
import { listOnB } from '../listing/list_b.ts';
import { CRYPTO_FEE, slugText } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import type { Above } from './above_a.ts';
import type { Coin } from './coins.ts';

export const aboveSeriesB = ({ long }: Coin): string => `${long}-multi-strikes`;
export const aboveTagsB = ({ name, long }: Coin) =>
  [
    ['21', 'Crypto', 'crypto'],
    ['102127', name, long],
    ['1312', 'Crypto Prices', 'crypto-prices'],
  ] as const;

/** The listing of venue B: the close of one candle of an exchange, strictly above. */
export function aboveOnB({ seed, coin, at, moments, chance, settled }: Above, strikes: readonly number[]): EventB {
  const day = longDay(at);
  const { hour, year } = easternParts(at);
  // Slugs omit noon. They contain another hour, with the year.
  const clock = hour === 12 ? null : `${hour - 12}PM ET`;
  const date = clock ? `${slugText(day)}-${year}-${slugText(clock.replace('PM', 'pm'))}` : slugText(day);
  const name = (strike: number) => (strike % 1000 === 0 && strike >= 10_000 ? `${strike / 1000}k` : String(strike));
  const candle = clock ? `${hour}:00 in the ET timezone` : '12:00 in the ET timezone (noon)';
  return listOnB(
    {
      seed,
      slug: `${coin.long}-above-on-${date}`,
      title: `${coin.name} above ___ on ${day}${clock ? `, ${clock}` : ''}?`,
      description: `This market will resolve to "Yes" if the Binance 1 minute candle for ${coin.symbol} ${candle} on the date specified in the title has a final "Close" price higher than the price specified in the title. Otherwise, this market will resolve to "No".\n\nThe resolution source for this market is Binance, specifically the ${coin.symbol} "Close" prices with 1m candles.\n\nPlease note that this market is about the price according to Binance ${coin.symbol}, not according to other exchanges or trading pairs.`,
      resolution: 'https://www.binance.com/en/trade',
      opened: moments.listed_b,
      end: at,
      negRisk: false,
      series: aboveSeriesB(coin),
      tags: aboveTagsB(coin),
      fee: CRYPTO_FEE,
      tick: 10,
      profile: { spread: [3, 5], size: [200, 2500] },
    },
    strikes.map((strike) => {
      const level = strike.toLocaleString('en-US');
      return {
        slug: `${coin.long}-above-${name(strike)}-on-${date}`,
        question: clock
          ? `${coin.name} above ${level} on ${day}, ${clock}?`
          : `Will the price of ${coin.name} be above $${level} on ${day}?`,
        group: level,
        fair: chance(strike),
        pays: settled > strike,
      };
    }),
  );
}
