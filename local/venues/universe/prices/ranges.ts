import { DAY, easternMidnight, HOUR, longDay, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { CRYPTO_FEE, eventB, marketB, slugText } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { ContractA, Question } from '../question.ts';
import { COINS, priceAt } from './coins.ts';

/** The price within a range at noon, on both venues: exact buckets that look like rungs of the ladder of thresholds beside them. */
export function rangeQuestions(seed: number, base: number, day: number): Question[] {
  const [coin] = COINS;
  if (!coin) return [];
  const at = easternMidnight(base, day) + 12 * HOUR;
  const price = priceAt(seed, coin, base);
  const settled = price(at);
  const centre = Math.round(price(at - 2 * DAY) / 2000) * 2000;
  const moments = longMoments({
    listed_a: at - 2 * DAY,
    listed_b: at - 4 * DAY,
    stopped_a: at,
    stopped_b: at,
    ends: at,
    resolvedAfter: 2 * HOUR,
  });
  const series = coin.series.replace(/D$/, '');
  const ticker = `${series}-${tickerDate(at)}12`;
  const title = `${coin.name} price range on ${shortDate(at)} at 12pm EST?`;
  const contracts = [-500, 0, 500].map((step): ContractA => {
    const low = centre + step;
    const market = `${ticker}-B${low + 250}`;
    const key = keyOf(seed, market);
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title,
          yes: `$${low.toLocaleString('en-US')} to ${(low + 499.99).toLocaleString('en-US')}`,
          rules: [
            `If the simple average of the sixty seconds of ${coin.index} before 12pm EST on ${shortDate(at)} is between ${low} and ${low + 499.99}, then the market resolves to Yes.`,
            '',
          ],
          open: moments.listed_a,
          close: at,
          expected: at + 5 * 60_000,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 60,
          strike: { type: 'between', floor: low, cap: low + 499.99 },
        },
        key,
      ),
      quoting: { key, fair: () => 0.12, halfSpread: 0.8 + unit(key, 1), scale: 80 + pick(key, 2, 500), tick: 100 },
      pays: settled >= low && settled <= low + 499.99 ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  const day_ = longDay(at);
  const slug = `${coin.long}-price-on-${slugText(day_)}`;
  const markets = [-2000, 0].map((step, i) => {
    const low = centre + step;
    const own = `will-the-price-of-${coin.long}-be-between-${low}-${low + 2000}-on-${slugText(day_)}`;
    const key = keyOf(seed, own);
    return marketB(
      seed,
      {
        slug: own,
        question: `Will the price of ${coin.name} be between $${low.toLocaleString('en-US')} and $${(low + 2000).toLocaleString('en-US')} on ${day_}?`,
        description: `This market will resolve according to the final "Close" price of the Binance 1 minute candle for ${coin.symbol} 12:00 in the ET timezone (noon) on the date in the title.`,
        resolution: 'https://www.binance.com/en/trade',
        outcomes: ['Yes', 'No'],
        end: at,
        opened: moments.listed_b,
        group: `${low.toLocaleString('en-US')}-${(low + 2000).toLocaleString('en-US')}`,
        threshold: i,
        fee: CRYPTO_FEE,
        tick: 10,
        negRiskId: null,
      },
      { key, fair: () => 0.35, halfSpread: 4, scale: 100 + pick(key, 23, 800) },
      settled >= low && settled < low + 2000 ? 0 : 1,
    );
  });
  const a = {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title,
      sub: `On ${shortDate(at)}`,
      exclusive: true,
      sources: [{ name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' }],
      category: 'Crypto',
      strikeDate: at,
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
  const b = eventB(
    seed,
    {
      slug,
      title: `${coin.name} price on ${day_}?`,
      description: '',
      resolution: 'https://www.binance.com/en/trade',
      opened: moments.listed_b,
      end: at,
      negRisk: false,
      augmented: false,
      series: `${coin.long}-neg-risk-weekly`,
      tags: [['21', 'Crypto', 'crypto']],
    },
    markets,
  );
  const plain = { family: 'crypto_range', moments, subject: `crypto:${coin.series}` };
  return [
    { ...plain, key: a.ticker, a, b: null, legs: [] },
    { ...plain, key: b.slug, a: null, b, legs: [] },
  ];
}
