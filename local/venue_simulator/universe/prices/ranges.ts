import { DAY, easternClock, longDay, MINUTE, shortDate, tickerDate } from '../../core/eastern.ts';
import { listOnA } from '../listing/list_a.ts';
import { listOnB } from '../listing/list_b.ts';
import { CRYPTO_FEE, slugText } from '../listing/listing_b.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { EventA, EventB, Moments, Question } from '../question.ts';
import { CF_BENCHMARKS } from './above_a.ts';
import { COINS, type Coin, priceAt } from './coins.ts';

type Range = { seed: number; coin: Coin; at: number; moments: Moments; centre: number; settled: number };

/**
 * The price within a range at noon, on both venues. The ranges look like strikes of the threshold
 * ladder of the same time.
 */
export function rangeQuestions(seed: number, base: number, day: number): Question[] {
  const [coin] = COINS;
  if (!coin) return [];
  const at = easternClock(base, day, 12);
  const price = priceAt(seed, coin, base);
  const centre = Math.round(price(at - 2 * DAY) / 2000) * 2000;
  const moments = longSchedule({ listed_a: at - 2 * DAY, listed_b: at - 4 * DAY, ends: at });
  const range = { seed, coin, at, moments, centre, settled: price(at) };
  const a = rangesOnA(range);
  const b = rangesOnB(range);
  const plain = { family: 'crypto_range', moments, subject: `crypto:${coin.series}`, legs: [] };
  return [
    { ...plain, key: a.ticker, a, b: null },
    { ...plain, key: b.slug, a: null, b },
  ];
}

function rangesOnA({ seed, coin, at, moments, centre, settled }: Range): EventA {
  const title = `${coin.name} price range on ${shortDate(at)} at 12pm EST?`;
  return listOnA(
    {
      seed,
      ticker: `${coin.series.replace(/D$/, '')}-${tickerDate(at)}12`,
      title,
      sub: `On ${shortDate(at)}`,
      exclusive: true,
      sources: [CF_BENCHMARKS],
      category: 'Crypto',
      strikeDate: at,
      listed: moments.listed_a,
      close: at,
      expected: at + 5 * MINUTE,
      settlementSeconds: 60,
      profile: { spread: [0.8, 1], size: [80, 500] },
    },
    [-500, 0, 500].map((step) => {
      const [floor, cap] = [centre + step, centre + step + 499.99];
      return {
        code: `B${floor + 250}`,
        title,
        yes: `$${floor.toLocaleString('en-US')} to ${cap.toLocaleString('en-US')}`,
        rules: [
          `If the simple average of the sixty seconds of ${coin.index} before 12pm EST on ${shortDate(at)} is between ${floor} and ${cap}, then the market resolves to Yes.`,
          '',
        ],
        strike: { type: 'between', floor, cap },
        fair: () => 0.12,
        pays: settled >= floor && settled <= cap,
      };
    }),
  );
}

function rangesOnB({ seed, coin, at, moments, centre, settled }: Range): EventB {
  const day = longDay(at);
  return listOnB(
    {
      seed,
      slug: `${coin.long}-price-on-${slugText(day)}`,
      title: `${coin.name} price on ${day}?`,
      description: `This market will resolve according to the final "Close" price of the Binance 1 minute candle for ${coin.symbol} 12:00 in the ET timezone (noon) on the date in the title.`,
      eventDescription: '',
      resolution: 'https://www.binance.com/en/trade',
      opened: moments.listed_b,
      end: at,
      negRisk: false,
      series: `${coin.long}-neg-risk-weekly`,
      tags: [['21', 'Crypto', 'crypto']],
      fee: CRYPTO_FEE,
      tick: 10,
      profile: { spread: [4, 0], size: [100, 800] },
    },
    [-2000, 0].map((step) => {
      const [low, high] = [centre + step, centre + step + 2000];
      const [from, to] = [low.toLocaleString('en-US'), high.toLocaleString('en-US')];
      return {
        slug: `will-the-price-of-${coin.long}-be-between-${low}-${high}-on-${slugText(day)}`,
        question: `Will the price of ${coin.name} be between $${from} and $${to} on ${day}?`,
        group: `${from}-${to}`,
        fair: () => 0.35,
        pays: settled >= low && settled < high,
      };
    }),
  );
}
