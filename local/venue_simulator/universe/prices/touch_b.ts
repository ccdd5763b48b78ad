import { easternParts, longMonth } from '../../core/eastern.ts';
import { listOnB } from '../listing/list_b.ts';
import { CRYPTO_FEE } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import type { Extremes, TouchStrike } from './extremes.ts';

/**
 * Both directions of a month on venue B: the high or low of a candle is at the level or beyond it.
 */
export function touchOnB({ seed, coin, ends, moments }: Extremes, strikes: readonly TouchStrike[]): EventB {
  const month = longMonth(ends);
  const { year } = easternParts(ends);
  const when = `${month.toLowerCase()}-${year}`;
  return listOnB(
    {
      seed,
      slug: `what-price-will-${coin.long}-hit-in-${when}`,
      title: `What price will ${coin.name} hit in ${month}?`,
      description: '',
      resolution: 'https://www.binance.com/en/trade',
      opened: moments.listed_b,
      end: ends,
      negRisk: false,
      series: `${coin.long}-hit-price-monthly`,
      tags: [
        ['21', 'Crypto', 'crypto'],
        ['1312', 'Crypto Prices', 'crypto-prices'],
      ],
      fee: CRYPTO_FEE,
      tick: 10,
      profile: { spread: [3, 5], size: [200, 2500] },
    },
    strikes.map(({ side, strike, fair, touched }) => {
      const [word, arrow, extreme, comparison] =
        side === 'MAX'
          ? (['reach', '↑', 'High', 'equal to or greater than'] as const)
          : (['dip-to', '↓', 'Low', 'equal to or lower than'] as const);
      const level = strike.toLocaleString('en-US');
      return {
        slug: `will-${coin.long}-${word}-${String(strike).replace('.', 'pt')}-in-${when}`,
        question: `Will ${coin.name} ${word.replace('-', ' ')} $${level} in ${month}?`,
        description: `This market will immediately resolve to "Yes" if any Binance 1 minute candle for ${coin.symbol} between the first of ${month} ${year}, 12:00 AM ET and its last day, 11:59 PM ET has a final "${extreme}" price ${comparison} the price specified in the title. Otherwise, this market will resolve to "No".\n\nThe resolution source for this market is Binance, specifically the ${coin.symbol} "${extreme}" prices with 1m candles. Prices from other exchanges, trading pairs or spot markets will not be considered.`,
        group: `${arrow} ${level}`,
        fair,
        pays: touched,
      };
    }),
  );
}
