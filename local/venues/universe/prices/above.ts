import { DAY, easternMidnight, easternParts, HOUR, longDay, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { CRYPTO_FEE, eventB, marketB, slugText } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { EventA, EventB, Leg, Moments, Question } from '../question.ts';
import { COINS, type Coin, priceAt } from './coins.ts';

/** "Above a price at a time": venue A every hour (noon and 5 pm here), venue B at noon and for one coin at 5 pm. Never the same source. */
export function aboveQuestions(seed: number, base: number, day: number): Question[] {
  const midnight = easternMidnight(base, day);
  return COINS.flatMap((coin) => [
    ladder(seed, base, coin, midnight, 12, true),
    ladder(seed, base, coin, midnight, 17, coin.ticker === 'BTC'),
  ]);
}

function ladder(seed: number, base: number, coin: Coin, midnight: number, hour: number, both: boolean): Question {
  const at = midnight + hour * HOUR;
  const ticker = `${coin.series}-${tickerDate(midnight)}${hour}`;
  const price = priceAt(seed, coin, base);
  const centre = Math.round(price(at - 2 * DAY) / coin.step) * coin.step;
  const chance = (strike: number) => (t: number) => {
    const deviation = coin.volatility * Math.sqrt(Math.max(0.002, (at - t) / DAY));
    return normalBelow(Math.log(price(t) / strike) / deviation);
  };
  const moments = longMoments({
    listed_a: at - 2 * DAY,
    listed_b: at - 4 * DAY,
    stopped_a: at,
    stopped_b: at,
    ends: at,
    resolvedAfter: 2 * HOUR,
  });
  const settled = price(at);
  const strikes = Array.from({ length: 11 }, (_, i) => centre + (i - 5) * coin.step);
  const a = onA(seed, coin, ticker, at, moments, strikes, chance, settled);
  const b = both
    ? onB(
        seed,
        coin,
        at,
        moments,
        strikes.filter((_, i) => i % 2 === 1 || i === 4),
        chance,
        settled,
      )
    : null;
  const legs: Leg[] = [];
  for (const market of b?.markets ?? []) {
    const strike = Number(String(market.fields.groupItemTitle).replaceAll(',', ''));
    const contract = a.contracts.find((one) => one.fields.floor_strike === strike - 0.01);
    if (contract) legs.push({ name: `${strike}`, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
  }
  return { key: ticker, family: 'crypto_above', moments, a, b, legs, subject: `crypto:${coin.series}` };
}

function onA(
  seed: number,
  coin: Coin,
  ticker: string,
  at: number,
  moments: Moments,
  strikes: readonly number[],
  chance: (strike: number) => (t: number) => number,
  settled: number,
): EventA {
  const { hour, zone } = easternParts(at);
  const clock = `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'am' : 'pm'} ${zone}`;
  const title = `${coin.name} price on ${shortDate(at)} at ${clock}?`;
  return {
    ticker,
    series: coin.series,
    fields: eventFieldsA({
      ticker,
      series: coin.series,
      title,
      sub: `On ${shortDate(at)} at ${clock}`,
      exclusive: false,
      collateral: 'DIRECNET',
      sources: [{ name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' }],
      category: 'Crypto',
      strikeDate: at,
      updated: moments.listed_a,
    }),
    contracts: strikes.map((strike) => {
      const floor = Math.round((strike - 0.01) * 100) / 100;
      const market = `${ticker}-T${floor}`;
      const key = keyOf(seed, market);
      const fields = marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title,
          yes: `$${strike.toLocaleString('en-US')} or above`,
          rules: [
            `If the simple average of the sixty seconds of ${coin.index} before ${clock} is above ${floor} at ${clock} on ${shortDate(at)}, then the market resolves to Yes.`,
            `Not all cryptocurrency price data is the same. The official and final value used to determine this market is ${coin.index}, averaged over the last 60 seconds before the hour.`,
          ],
          open: moments.listed_a,
          close: at,
          expected: at + 5 * 60_000,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 60,
          strike: { type: 'greater', floor },
        },
        key,
      );
      return {
        ticker: market,
        fields,
        quoting: {
          key,
          fair: chance(strike),
          halfSpread: 0.4 + unit(key, 1),
          scale: 200 + pick(key, 2, 3000),
          tick: 100,
        },
        pays: settled > floor ? ('yes' as const) : ('no' as const),
        expirationValue: settled.toFixed(2),
      };
    }),
    milestone: null,
  };
}

function onB(
  seed: number,
  coin: Coin,
  at: number,
  moments: Moments,
  strikes: readonly number[],
  chance: (strike: number) => (t: number) => number,
  settled: number,
): EventB {
  const day = longDay(at);
  const { hour, year } = easternParts(at);
  // Noon goes without saying; another hour is in the slug, with the year.
  const clock = hour === 12 ? null : `${hour - 12}PM ET`;
  const date = clock ? `${slugText(day)}-${year}-${slugText(clock.replace('PM', 'pm'))}` : slugText(day);
  const slug = `${coin.long}-above-on-${date}`;
  const name = (strike: number) => (strike % 1000 === 0 && strike >= 10_000 ? `${strike / 1000}k` : String(strike));
  const description = `This market will resolve to "Yes" if the Binance 1 minute candle for ${coin.symbol} ${clock ? `${hour}:00 in the ET timezone` : '12:00 in the ET timezone (noon)'} on the date specified in the title has a final "Close" price higher than the price specified in the title. Otherwise, this market will resolve to "No".\n\nThe resolution source for this market is Binance, specifically the ${coin.symbol} "Close" prices with 1m candles.\n\nPlease note that this market is about the price according to Binance ${coin.symbol}, not according to other exchanges or trading pairs.`;
  const markets = strikes.map((strike, i) => {
    const marketSlug = `${coin.long}-above-${name(strike)}-on-${date}`;
    const key = keyOf(seed, marketSlug, at);
    return marketB(
      seed,
      {
        slug: marketSlug,
        question: clock
          ? `${coin.name} above ${strike.toLocaleString('en-US')} on ${day}, ${clock}?`
          : `Will the price of ${coin.name} be above $${strike.toLocaleString('en-US')} on ${day}?`,
        description,
        resolution: 'https://www.binance.com/en/trade',
        outcomes: ['Yes', 'No'],
        end: at,
        opened: moments.listed_b,
        group: strike.toLocaleString('en-US'),
        threshold: i,
        fee: CRYPTO_FEE,
        tick: 10,
        negRiskId: null,
      },
      { key, fair: chance(strike), halfSpread: 3 + 5 * unit(key, 21), scale: 200 + pick(key, 23, 2500) },
      settled > strike ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: `${coin.name} above ___ on ${day}${clock ? `, ${clock}` : ''}?`,
      description,
      resolution: 'https://www.binance.com/en/trade',
      opened: moments.listed_b,
      end: at,
      negRisk: false,
      augmented: false,
      series: `${coin.long}-multi-strikes`,
      tags: [
        ['21', 'Crypto', 'crypto'],
        ['102127', coin.name, coin.long],
        ['1312', 'Crypto Prices', 'crypto-prices'],
      ],
    },
    markets,
  );
}
