import { DAY, easternMidnight, HOUR, tickerDate } from '../core/eastern.ts';
import { bell, keyOf, unit, wave } from '../core/random.ts';
import { normalBelow } from './chances.ts';
import { longMoments } from './long_moments.ts';
import type { Leg, Lookalike, Question } from './question.ts';

import { onA } from './weather_a.ts';
import { onB } from './weather_b.ts';
import { type Band, CITIES, type City } from './weather_cities.ts';

/** Highest temperature ladders: equal stations give twins; where they differ the ladders only look alike. */
export const WEATHER_SERIES = CITIES.map((city) => ({ ticker: city.series, city: city.nameA }));

/** The ladders of one New York calendar day. */
export function weatherQuestions(
  seed: number,
  base: number,
  day: number,
): { questions: Question[]; lookalikes: Lookalike[] } {
  const midnight = easternMidnight(base, day);
  const questions: Question[] = [];
  const lookalikes: Lookalike[] = [];
  for (const city of CITIES) {
    const question = ladder(seed, city, midnight);
    questions.push(question);
    if (!city.same && question.a && question.b)
      lookalikes.push({ venue_a: question.a.ticker, venue_b: question.b.slug, why: 'station_mismatch' });
  }
  return { questions, lookalikes };
}

/** Six bands: a tail, four of two degrees, a tail. `from` is the first degree of the first inner band. */
function bandsFrom(from: number): Band[] {
  const inner = [0, 2, 4, 6].map((step) => ({ low: from + step, high: from + step + 1 }));
  return [
    { low: Number.NEGATIVE_INFINITY, high: from - 1 },
    ...inner,
    { low: from + 8, high: Number.POSITIVE_INFINITY },
  ];
}

function ladder(seed: number, city: City, midnight: number): Question {
  const ticker = `${city.series}-${tickerDate(midnight)}`;
  const key = keyOf(seed, ticker);
  const mean = city.mean + 7 * bell(key, 1);
  const settled = Math.round(mean + 1.2 * bell(key, 2));
  const settledB = city.same ? settled : settled + (unit(key, 3) < 0.5 ? 1 : 0);
  const fromA = Math.floor(mean) - 4;
  const fromB = fromA + (city.offset === 1 && unit(key, 4) < 0.6 ? 1 : 0);
  const ends = midnight + 22 * HOUR;
  const moments = longMoments({
    listed_a: midnight - 14 * HOUR,
    listed_b: midnight - 38 * HOUR,
    stopped_a: midnight + DAY - 60_000,
    stopped_b: midnight + DAY + 6 * HOUR,
    ends,
    resolvedAfter: 2 * HOUR,
  });
  const chance = (band: Band, shift: number) => (t: number) => {
    const left = Math.max(0.15, (ends - t) / DAY);
    const now =
      mean +
      shift +
      0.8 * wave(key, t, 3 * HOUR) +
      0.25 * wave(key ^ 1, t, 20 * 60_000) +
      (settled - mean) * Math.max(0, 1 - left);
    const deviation = 2.6 * Math.sqrt(Math.min(1, left));
    return normalBelow((band.high + 0.5 - now) / deviation) - normalBelow((band.low - 0.5 - now) / deviation);
  };
  const bandsA = bandsFrom(fromA);
  const bandsB = bandsFrom(fromB);
  const a = onA(seed, city, ticker, midnight, moments, bandsA, (band) => chance(band, 0), settled);
  const b = onB(seed, city, midnight, moments, bandsB, (band) => chance(band, city.same ? 0 : 0.8), settledB);
  const legs: Leg[] = [];
  if (city.same) {
    for (const [i, band] of bandsB.entries()) {
      const twin = bandsA.findIndex((other) => other.low === band.low && other.high === band.high);
      const market = b.markets[i];
      const contract = a.contracts[twin];
      if (twin >= 0 && market && contract)
        legs.push({
          name: String(market.fields.groupItemTitle),
          ticker: contract.ticker,
          side: 'yes',
          token_id: market.tokens[0],
        });
    }
  }
  return { key: ticker, family: 'weather_high', moments, a, b, legs, subject: `weather:${city.a}` };
}
