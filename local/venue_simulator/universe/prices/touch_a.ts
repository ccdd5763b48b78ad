import { HOUR, longMonth, shortDate, tickerDate } from '../../core/eastern.ts';
import { above, listOnA } from '../listing/list_a.ts';
import type { EventA } from '../question.ts';
import { CF_BENCHMARKS } from './above_a.ts';
import type { Extremes, Side, TouchStrike } from './extremes.ts';

/** One direction of a month on venue A: the trimmed mean of a minute is beyond the level. */
export function touchOnA({ seed, coin, ends, moments }: Extremes, side: Side, strikes: readonly TouchStrike[]): EventA {
  const direction = side === 'MAX' ? 'above' : 'below';
  const by = `11:59 PM ET on ${shortDate(ends)}`;
  return listOnA(
    {
      seed,
      ticker: `KX${coin.ticker}${side}MON-${coin.ticker}-${tickerDate(ends)}`,
      title: `How ${side === 'MAX' ? 'high' : 'low'} will ${coin.name} get in ${longMonth(ends)}?`,
      sub: `By ${shortDate(ends)}`,
      exclusive: false,
      sources: [CF_BENCHMARKS],
      category: 'Crypto',
      strikeDate: ends,
      listed: moments.listed_a,
      close: ends,
      expected: ends + HOUR,
      settlementSeconds: 60,
      profile: { spread: [0.5, 1], size: [150, 1500] },
    },
    strikes.map(({ strike, fair, touched }) => {
      const level = `$${strike.toLocaleString('en-US')}`;
      return {
        code: String(Math.round(strike * 100)),
        title: `Will ${coin.ticker} trimmed mean be ${direction} ${level} by ${by}?`,
        yes: `${side === 'MAX' ? 'Above' : 'Below'} ${level}`,
        rules: [
          `If the trimmed mean of ${coin.index} over any one minute is ${direction} ${level} between the market's issuance and ${by}, then the market resolves to Yes.`,
          `Each minute's value is the mean of its sixty readings of ${coin.index} without the highest and the lowest fifth of them.`,
        ],
        strike: side === 'MAX' ? above(strike) : { type: 'less', cap: strike },
        fair,
        pays: touched,
      };
    }),
  );
}
