import { DAY, easternMidnight, HOUR, tickerDate } from '../../core/eastern.ts';
import { bell, keyOf, unit, wave } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import { labelOf } from '../listing/listing_a.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { ContractA, Leg, ListingDefect, Lookalike, MarketB, Moments, Question, UnpairedLeg } from '../question.ts';
import { type Band, CELSIUS_CITIES, type CelsiusCity, CITIES, type City, type Extreme, overlaps } from './cities.ts';
import { hourlyOnA } from './hourly.ts';
import { onA } from './weather_a.ts';
import { onB } from './weather_b.ts';

/** Series of venue A: highest and lowest temperature of a day, and the temperature at an hour. */
export const WEATHER_SERIES = CITIES.flatMap((city) => [
  { ticker: city.series, title: `Highest temperature in ${city.nameA}` },
  ...(city.lowSeries ? [{ ticker: city.lowSeries, title: `Lowest temperature in ${city.nameA}` }] : []),
  { ticker: `KXTEMP${city.a}H`, title: `Temperature in ${city.nameA} by the hour` },
]);

/** The ladders of one calendar day in New York. */
export function weatherQuestions(
  seed: number,
  base: number,
  day: number,
): { questions: Question[]; lookalikes: Lookalike[] } {
  const midnight = easternMidnight(base, day);
  const questions: Question[] = [];
  const lookalikes: Lookalike[] = [];
  for (const city of CITIES) {
    for (const question of cityQuestions(seed, base, day, city)) {
      questions.push(question);
      const { a, b } = question;
      if (!city.same && a && b)
        lookalikes.push({ venue_a: a.ticker, venue_b: b.slug, why: 'station_mismatch', candidate: true });
    }
  }
  for (const city of CELSIUS_CITIES) questions.push(celsius(seed, city, midnight));
  return { questions, lookalikes };
}

/** The ladders of one city on one day. */
export function cityQuestions(seed: number, base: number, day: number, city: City | CelsiusCity): Question[] {
  const midnight = easternMidnight(base, day);
  if (!('series' in city)) return [celsius(seed, city, midnight)];
  const extremes = city.lowSeries ? (['highest', 'lowest'] as const) : (['highest'] as const);
  const ladders = extremes.map((extreme) => ladder(seed, city, extreme, midnight));
  // One city with an hourly question is enough to test the lookalike.
  return city.a === 'MIA' ? [...ladders, hourlyOnA(seed, city, midnight, dayMoments(midnight))] : ladders;
}

/**
 * A tail, `inner` bands of `width` degrees, and a tail. `from` is the first degree of the first
 * inner band.
 */
function bandsFrom(from: number, inner: number, width: number): Band[] {
  const bands = Array.from({ length: inner }, (_, i) => ({ low: from + i * width, high: from + (i + 1) * width - 1 }));
  return [
    { low: Number.NEGATIVE_INFINITY, high: from - 1 },
    ...bands,
    { low: from + inner * width, high: Number.POSITIVE_INFINITY },
  ];
}

function dayMoments(midnight: number): Moments {
  return longSchedule({
    listed_a: midnight - 14 * HOUR,
    listed_b: midnight - 38 * HOUR,
    stopped_a: easternMidnight(midnight, 1) - 60_000,
    stopped_b: easternMidnight(midnight, 1) + 6 * HOUR,
    ends: midnight + 22 * HOUR,
  });
}

/** Probability that the twins of one station settle a degree apart. */
const DEGREE_APART_RATE = 0.08;

type DayTemperature = {
  mean: number;
  settled: number;
  chance(band: Band, shift: number, settles: number): (t: number) => number;
};

/**
 * The temperature of a day. The probability of every band converges to the band of one drawn value.
 */
function dayOf(key: number, climate: number, swing: number, ends: number): DayTemperature {
  const mean = climate + 2.7 * swing * bell(key, 1);
  const settled = Math.round(mean + 0.46 * swing * bell(key, 2));
  const chance = (band: Band, shift: number, settles: number) => (t: number) => {
    const left = Math.max(0.15, (ends - t) / DAY);
    const now =
      mean +
      shift +
      0.8 * wave(key, t, 3 * HOUR) +
      0.25 * wave(key ^ 1, t, 20 * 60_000) +
      (settles - mean) * Math.max(0, 1 - left);
    const deviation = swing * Math.sqrt(Math.min(1, left));
    return normalBelow((band.high + 0.5 - now) / deviation) - normalBelow((band.low - 0.5 - now) / deviation);
  };
  return { mean, settled, chance };
}

function ladder(seed: number, city: City, extreme: Extreme, midnight: number): Question {
  const series = extreme === 'highest' ? city.series : (city.lowSeries ?? city.series);
  const ticker = `${series}-${tickerDate(midnight)}`;
  const key = keyOf(seed, ticker);
  const moments = dayMoments(midnight);
  const climate = extreme === 'highest' ? city.mean : city.mean - 14;
  const { mean, settled, chance } = dayOf(key, climate, 2.6, moments.ends);
  // Two reports of one station sometimes round to neighbouring degrees.
  const apart = city.same && unit(key, 5) < DEGREE_APART_RATE;
  const warmer = apart || (!city.same && unit(key, 3) < 0.5);
  const settledB = settled + (warmer ? 1 : 0);
  const from = Math.floor(mean) - 4;
  const bandsA = bandsFrom(from, 4, 2);
  const shape = unit(key, 4) < 0.6 ? city.offset : 'none';
  const bandsB =
    shape === 'longer' ? bandsFrom(from - 2, 6, 2) : bandsFrom(shape === 'shifted' ? from + 1 : from, 4, 2);
  const a = onA(seed, city, extreme, ticker, midnight, moments, bandsA, (band) => chance(band, 0, settled), settled);
  const defect = city.same ? defectOf(unit(key, 9)) : null;
  const fairB = (band: Band) => chance(band, city.same ? 0 : 0.8, settledB);
  const b = onB(seed, city, extreme, midnight, moments, bandsB, fairB, settledB, defect);
  const outcomes = city.same ? pairOutcomes(bandsA, a.contracts, bandsB, b.markets) : { legs: [], unpairedLegs: [] };
  const family = extreme === 'highest' ? 'weather_high' : 'weather_low';
  return {
    key: ticker,
    family,
    moments,
    a,
    b,
    ...outcomes,
    subject: `weather:${city.a}`,
    defect,
    settledDifferently: apart ? 'a_degree_apart' : null,
  };
}

function defectOf(roll: number): ListingDefect | null {
  return roll < 0.1 ? 'no_rules' : roll < 0.2 ? 'rules_contradict_fields' : null;
}

/**
 * Bands with equal edges are legs. A band of venue B with other edges overlaps several bands of
 * venue A.
 */
function pairOutcomes(
  bandsA: readonly Band[],
  contracts: readonly ContractA[],
  bandsB: readonly Band[],
  markets: readonly MarketB[],
): { legs: Leg[]; unpairedLegs: UnpairedLeg[] } {
  const legs: Leg[] = [];
  const unpairedLegs: UnpairedLeg[] = [];
  for (const [i, market] of markets.entries()) {
    const band = bandsB[i];
    if (!band) continue;
    const name = String(market.fields.groupItemTitle);
    const twin = bandsA.findIndex((other) => other.low === band.low && other.high === band.high);
    const contract = contracts[twin];
    if (contract) legs.push({ name, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
    else {
      const span = contracts.filter((_, at) => overlaps(band, bandsA[at] as Band));
      // Some labels contain a filler of the venue.
      const labels = span.map((one) => labelOf(one));
      unpairedLegs.push({ name, token_id: market.tokens[0], relation: 'OVERLAPS', span: labels });
    }
  }
  return { legs, unpairedLegs };
}

function celsius(seed: number, city: CelsiusCity, midnight: number): Question {
  const moments = dayMoments(midnight);
  const key = keyOf(seed, 'celsius', city.slug, midnight);
  const { mean, settled, chance } = dayOf(key, city.mean, 1.5, moments.ends);
  const bands = bandsFrom(Math.floor(mean) - 2, 5, 1);
  const b = onB(seed, city, 'highest', midnight, moments, bands, (band) => chance(band, 0, settled), settled);
  return { key: b.slug, family: 'weather_high', moments, a: null, b, legs: [], subject: `weather:${city.slug}` };
}
