import { DAY, easternClock } from '../../core/eastern.ts';
import { normalBelow } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Leg, Question } from '../question.ts';
import { type Above, aboveOnA } from './above_a.ts';
import { aboveOnB } from './above_b.ts';
import { COINS, type Coin, priceAt } from './coins.ts';

/**
 * "Above a price at a time". Venue A lists it every hour (here at noon and at 5 pm), venue B at
 * noon, and at 5 pm for one coin. The venues never use the same source.
 */
export function aboveQuestions(seed: number, base: number, day: number, coins = COINS): Question[] {
  return coins.flatMap((coin) => [
    ladder(seed, base, coin, easternClock(base, day, 12), true),
    ladder(seed, base, coin, easternClock(base, day, 17), coin.ticker === 'BTC'),
  ]);
}

function ladder(seed: number, base: number, coin: Coin, at: number, both: boolean): Question {
  const price = priceAt(seed, coin, base);
  const centre = Math.round(price(at - 2 * DAY) / coin.step) * coin.step;
  const chance = (strike: number) => (t: number) => {
    const deviation = coin.volatility * Math.sqrt(Math.max(0.002, (at - t) / DAY));
    return normalBelow(Math.log(price(t) / strike) / deviation);
  };
  const moments = longSchedule({ listed_a: at - 2 * DAY, listed_b: at - 4 * DAY, ends: at });
  const strikes = Array.from({ length: 11 }, (_, i) => centre + (i - 5) * coin.step);
  const shared: Above = { seed, coin, at, moments, chance, settled: price(at) };
  const a = aboveOnA(shared, strikes);
  const fewerStrikes = strikes.filter((_, i) => i % 2 === 1 || i === 4);
  const b = both ? aboveOnB(shared, fewerStrikes) : null;
  const legs: Leg[] = [];
  for (const market of b?.markets ?? []) {
    const strike = Number(String(market.fields.groupItemTitle).replaceAll(',', ''));
    const contract = a.contracts.find((one) => one.fields.floor_strike === strike - 0.01);
    if (contract) legs.push({ name: `${strike}`, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
  }
  return { key: a.ticker, family: 'crypto_above', moments, a, b, legs, subject: `crypto:${coin.series}` };
}
