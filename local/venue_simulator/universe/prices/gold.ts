import { DAY, easternClock, easternParts, HOUR, longDay, shortDate, tickerDate } from '../../core/eastern.ts';
import { bell, keyOf, wave } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import { listOnA } from '../listing/list_a.ts';
import { listOnB } from '../listing/list_b.ts';
import { labelOf } from '../listing/listing_a.ts';
import { slugText } from '../listing/listing_b.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { EventA, EventB, Leg, Moments, Question } from '../question.ts';
import { atLeast } from './at_least.ts';
import { FINANCE_FEE } from './commodities_b.ts';

/**
 * Gold above a price at 5 pm. Both venues use the same oracle, so this is the one commodity with
 * twins.
 */
export const GOLD_SERIES = 'KXGOLDD';
export const GOLD_SERIES_B = 'gold-multi-strikes';
export const GOLD_TAGS = [['120', 'Finance', 'finance']] as const;
const [PRICE, STEP, VOLATILITY] = [4200, 25, 0.009];

type Fix = {
  seed: number;
  at: number;
  moments: Moments;
  settled: number;
  chance(strike: number): (t: number) => number;
};

/** Mondays to Thursdays. On Friday at this hour venue A lists the weekly question instead. */
export function goldQuestions(seed: number, base: number, day: number): Question[] {
  const at = easternClock(base, day, 17);
  const { year, month, day: date } = easternParts(at);
  const weekday = new Date(Date.UTC(year, month - 1, date)).getUTCDay();
  if (weekday < 1 || weekday > 4) return [];
  const key = keyOf(seed, 'gold', 'price');
  const price = (t: number) =>
    PRICE *
    Math.exp(VOLATILITY * (2 * bell(key) + 2 * wave(key ^ 1, t - base, 3 * DAY) + wave(key ^ 2, t - base, 5 * HOUR)));
  const chance = (strike: number) => (t: number) =>
    normalBelow(Math.log(price(t) / strike) / (VOLATILITY * Math.sqrt(Math.max(0.002, (at - t) / DAY))));
  const moments = longSchedule({ listed_a: at - 2 * DAY, listed_b: at - 3 * DAY, ends: at });
  const fix = { seed, at, moments, chance, settled: price(at) };
  const centre = Math.round(price(at - 2 * DAY) / STEP) * STEP;
  const a = onA(
    fix,
    [-2, -1, 0, 1, 2].map((steps) => centre + steps * STEP),
  );
  const b = onB(
    fix,
    [-1, 0, 1, 3].map((steps) => centre + steps * STEP),
  );
  const legs = b.markets.flatMap((market): Leg[] => {
    const name = String(market.fields.groupItemTitle);
    const contract = a.contracts.find((one) => labelOf(one) === `${name} or above`);
    return contract ? [{ name, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] }] : [];
  });
  return [{ key: a.ticker, family: 'crypto_above', moments, a, b, legs, subject: 'commodity:KXGOLDW' }];
}

const dollars = (strike: number): string => `$${strike.toLocaleString('en-US')}`;

function onA({ seed, at, moments, settled, chance }: Fix, strikes: readonly number[]): EventA {
  const when = `${shortDate(at)} at 5:00 PM ${easternParts(at).zone}`;
  return listOnA(
    {
      seed,
      ticker: `${GOLD_SERIES}-${tickerDate(at)}17`,
      title: `Gold price on ${when}?`,
      sub: when,
      exclusive: false,
      sources: [{ name: 'Pyth', url: 'https://www.pyth.network/' }],
      category: 'Financials',
      strikeDate: at,
      listed: moments.listed_a,
      close: at,
      expected: at + HOUR,
      profile: { spread: [0.6, 1], size: [100, 900] },
      expirationValue: settled.toFixed(2),
    },
    strikes.map((strike) =>
      atLeast(strike, (floor) => ({
        title: `Will the price of gold be above ${floor} on ${shortDate(at)}?`,
        yes: `${dollars(strike)} or above`,
        rules: [
          `If the price of gold as published by Pyth on ${when} is above ${floor}, then the market resolves to Yes.`,
          '',
        ],
        fair: chance(strike),
        pays: settled > floor,
      })),
    ),
  );
}

function onB({ seed, at, moments, settled, chance }: Fix, strikes: readonly number[]): EventB {
  const day = longDay(at);
  const date = `${slugText(day)}-${easternParts(at).year}-5pm-et`;
  return listOnB(
    {
      seed,
      slug: `gold-above-on-${date}`,
      title: `Gold (XAUUSD) above ___ on ${day}, 5PM ET?`,
      description: `This market will resolve to "Yes" if the price of gold (XAUUSD) that Pyth publishes for ${day}, 5:00 PM ET is higher than the price specified in the title. Otherwise, this market will resolve to "No".`,
      resolution: 'https://www.pyth.network/',
      opened: moments.listed_b,
      end: at,
      negRisk: false,
      series: GOLD_SERIES_B,
      tags: GOLD_TAGS,
      fee: FINANCE_FEE,
      tick: 10,
      profile: { spread: [3, 5], size: [100, 900] },
    },
    strikes.map((strike) => ({
      slug: `gold-above-${strike}-on-${date}`,
      question: `Gold (XAUUSD) above ${dollars(strike)} on ${day}, 5PM ET?`,
      group: dollars(strike),
      fair: chance(strike),
      pays: settled > strike,
    })),
  );
}
