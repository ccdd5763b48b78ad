import { DAY, easternMidnight, easternParts, HOUR, longDay, shortDate, tickerDate } from '../core/eastern.ts';
import { bell, keyOf, pick, unit, wave } from '../core/random.ts';
import { normalBelow } from './chances.ts';
import { eventFieldsA, marketFieldsA } from './listing_a.ts';
import { eventB, marketB, negRiskIdOf, slugText, WEATHER_FEE } from './listing_b.ts';
import { longMoments } from './long_moments.ts';
import type { ContractA, EventA, EventB, Leg, Lookalike, Moments, Question } from './question.ts';

/** Highest temperature of a city's day. Equal stations give twins; where the stations differ the ladders only look alike. */
type City = {
  series: string;
  a: string;
  nameA: string;
  stationA: string;
  slug: string;
  nameB: string;
  stationB: string;
  mean: number;
  same: boolean;
  offset: number;
};

const CITIES: readonly City[] = [
  {
    series: 'KXHIGHMIA',
    a: 'MIA',
    nameA: 'Miami',
    stationA: 'Miami International Airport',
    slug: 'miami',
    nameB: 'Miami',
    stationB: 'Miami Intl Airport Station',
    mean: 84,
    same: true,
    offset: 0,
  },
  {
    series: 'KXHIGHLAX',
    a: 'LAX',
    nameA: 'LA',
    stationA: 'Los Angeles International Airport',
    slug: 'los-angeles',
    nameB: 'Los Angeles',
    stationB: 'Los Angeles International Airport Station',
    mean: 72,
    same: true,
    offset: 1,
  },
  {
    series: 'KXHIGHAUS',
    a: 'AUS',
    nameA: 'Austin',
    stationA: 'Austin-Bergstrom International Airport',
    slug: 'austin',
    nameB: 'Austin',
    stationB: 'Austin-Bergstrom International Airport Station',
    mean: 79,
    same: true,
    offset: 0,
  },
  {
    series: 'KXHIGHNY',
    a: 'NY',
    nameA: 'NYC',
    stationA: 'Central Park',
    slug: 'nyc',
    nameB: 'New York City',
    stationB: 'LaGuardia Airport Station',
    mean: 61,
    same: false,
    offset: 0,
  },
  {
    series: 'KXHIGHCHI',
    a: 'CHI',
    nameA: 'Chicago',
    stationA: 'Chicago Midway',
    slug: 'chicago',
    nameB: 'Chicago',
    stationB: "Chicago O'Hare Intl Airport Station",
    mean: 55,
    same: false,
    offset: 1,
  },
  {
    series: 'KXHIGHDEN',
    a: 'DEN',
    nameA: 'Denver',
    stationA: 'Denver International Airport',
    slug: 'denver',
    nameB: 'Denver',
    stationB: 'Buckley Space Force Base Station',
    mean: 58,
    same: false,
    offset: 0,
  },
  {
    series: 'KXHIGHTDAL',
    a: 'DAL',
    nameA: 'Dallas',
    stationA: 'Dallas/Fort Worth International Airport',
    slug: 'dallas',
    nameB: 'Dallas',
    stationB: 'Dallas Love Field Station',
    mean: 74,
    same: false,
    offset: 0,
  },
];

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

type Band = { low: number; high: number };

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

const inside = (band: Band, value: number) => value >= band.low && value <= band.high;

function onA(
  seed: number,
  city: City,
  ticker: string,
  midnight: number,
  moments: Moments,
  bands: readonly Band[],
  chance: (band: Band) => (t: number) => number,
  settled: number,
): EventA {
  const date = shortDate(midnight);
  const contracts = bands.map((band): ContractA => {
    const tail =
      band.low === Number.NEGATIVE_INFINITY ? 'less' : band.high === Number.POSITIVE_INFINITY ? 'greater' : 'between';
    // Strict tails: "61° or above" is T60, "greater than 60".
    const suffix =
      tail === 'less' ? `T${band.high + 1}` : tail === 'greater' ? `T${band.low - 1}` : `B${band.low + 0.5}`;
    const yes =
      tail === 'less'
        ? `${band.high}° or below`
        : tail === 'greater'
          ? `${band.low}° or above`
          : `${band.low}° to ${band.high}°`;
    const said =
      tail === 'less'
        ? `less than ${band.high + 1}°`
        : tail === 'greater'
          ? `greater than ${band.low - 1}°`
          : `between ${band.low}-${band.high}°`;
    const key = keyOf(seed, ticker, suffix);
    const fields = marketFieldsA(
      {
        ticker: `${ticker}-${suffix}`,
        event: ticker,
        title: `Will the **high temp in ${city.nameA}** be ${tail === 'less' ? `<${band.high + 1}` : tail === 'greater' ? `>${band.low - 1}` : `${band.low}-${band.high}`}° on ${date}?`,
        yes,
        rules: [
          `If the highest temperature recorded at ${city.stationA} for ${date} as reported by the National Weather Service's Climatological Report (Daily), is ${said}, then the market resolves to Yes.`,
          'Not all weather data is the same. While checking a source like AccuWeather or Google Weather may help guide your decision, the official and final value used to determine this market is the highest temperature as reported by the NWS Climatological Report (Daily). Its day runs on local standard time.',
        ],
        open: moments.listed_a,
        close: moments.closed_a,
        expected: midnight + DAY + 10 * HOUR,
        occurrence: null,
        earlyClose:
          'This market will close and expire the sooner of the first 7:00 or 8:00 AM ET following the release of the data, or one week after the date.',
        settlementSeconds: 300,
        strike: {
          type: tail,
          ...(tail === 'greater'
            ? { floor: band.low - 1 }
            : tail === 'less'
              ? { cap: band.high + 1 }
              : { floor: band.low, cap: band.high }),
        },
      },
      key,
    );
    return {
      ticker: `${ticker}-${suffix}`,
      fields,
      quoting: { key, fair: chance(band), halfSpread: 0.5 + unit(key, 1), scale: 80 + pick(key, 2, 900), tick: 100 },
      pays: inside(band, settled) ? 'yes' : 'no',
      expirationValue: String(settled),
    };
  });
  return {
    ticker,
    series: city.series,
    fields: eventFieldsA({
      ticker,
      series: city.series,
      title: `Highest temperature in ${city.nameA} on ${date}?`,
      sub: `On ${date}`,
      exclusive: true,
      sources: [{ name: 'National Weather Service', url: 'https://forecast.weather.gov/product.php' }],
      category: 'Climate and Weather',
      strikeDate: midnight + DAY,
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
}

function onB(
  seed: number,
  city: City,
  midnight: number,
  moments: Moments,
  bands: readonly Band[],
  chance: (band: Band) => (t: number) => number,
  settled: number,
): EventB {
  const day = longDay(midnight);
  const { year } = easternParts(midnight);
  const slug = `highest-temperature-in-${city.slug}-on-${slugText(day)}-${year}`;
  const negRiskId = negRiskIdOf(seed, slug);
  const noon = Date.parse(`${new Date(midnight + 12 * HOUR).toISOString().slice(0, 10)}T12:00:00Z`);
  const description = `This market will resolve to the temperature range that contains the highest temperature recorded at the ${city.stationB} in degrees Fahrenheit on ${day}, ${year}.\n\nThe resolution source for this market will be information from Wunderground, specifically the highest temperature recorded for all times on this day by the ${city.stationB}, once it is finalized.\n\nTemperatures are measured to whole degrees Fahrenheit; revisions made after the data is finalized will not be considered.`;
  const markets = bands.map((band, i) => {
    const label =
      band.low === Number.NEGATIVE_INFINITY
        ? `${band.high}°F or below`
        : band.high === Number.POSITIVE_INFINITY
          ? `${band.low}°F or higher`
          : `${band.low}-${band.high}°F`;
    const end =
      band.low === Number.NEGATIVE_INFINITY
        ? `${band.high}forbelow`
        : band.high === Number.POSITIVE_INFINITY
          ? `${band.low}forhigher`
          : `${band.low}-${band.high}f`;
    const between = label.includes('or') ? label : `between ${label}`;
    const key = keyOf(seed, slug, end);
    return marketB(
      seed,
      {
        slug: `${slug}-${end}`,
        question: `Will the highest temperature in ${city.nameB} be ${between} on ${day}?`,
        description,
        resolution: 'https://www.wunderground.com/history',
        outcomes: ['Yes', 'No'],
        end: noon,
        opened: moments.listed_b,
        group: label,
        threshold: i,
        fee: WEATHER_FEE,
        tick: 10,
        negRiskId,
      },
      { key, fair: chance(band), halfSpread: 4 + 6 * unit(key, 21), scale: 80 + pick(key, 23, 700) },
      inside(band, settled) ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: `Highest temperature in ${city.nameB} on ${day}?`,
      description,
      resolution: 'https://www.wunderground.com/history',
      opened: moments.listed_b,
      end: noon,
      negRisk: true,
      augmented: false,
      series: `${city.slug}-daily-weather`,
      tags: [
        ['84', 'Weather', 'weather'],
        ['103040', 'Daily Temperature', 'temperature'],
      ],
    },
    markets,
  );
}
