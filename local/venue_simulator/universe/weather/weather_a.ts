import { DAY, easternMidnight, HOUR, shortDate } from '../../core/eastern.ts';
import { listOnA, type RungA } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import { type Band, type City, type Extreme, inside } from './cities.ts';

/** A city's day as venue A lists it: the National Weather Service's report, strict tails. */
export function onA(
  seed: number,
  city: City,
  extreme: Extreme,
  ticker: string,
  midnight: number,
  moments: Moments,
  bands: readonly Band[],
  chance: (band: Band) => (t: number) => number,
  settled: number,
): EventA {
  const date = shortDate(midnight);
  const rungs = bands.map((band): RungA => {
    const words = wordsOf(band);
    return {
      code: words.code,
      title: `Will the **${extreme === 'highest' ? 'high' : 'low'} temp in ${city.nameA}** be ${words.short}° on ${date}?`,
      yes: words.label,
      rules: [
        `If the ${extreme} temperature recorded at ${city.stationA} for ${date} as reported by the National Weather Service's Climatological Report (Daily), is ${words.said}, then the market resolves to Yes.`,
        `Not all weather data is the same. While checking a source like AccuWeather or Google Weather may help guide your decision, the official and final value used to determine this market is the ${extreme} temperature as reported by the NWS Climatological Report (Daily). Its day runs on local standard time.`,
      ],
      strike: words.strike,
      fair: chance(band),
      pays: inside(band, settled),
    };
  });
  return listOnA(
    {
      seed,
      ticker,
      title: `${extreme === 'highest' ? 'Highest' : 'Lowest'} temperature in ${city.nameA} on ${date}?`,
      sub: `On ${date}`,
      exclusive: true,
      sources: [{ name: 'National Weather Service', url: 'https://forecast.weather.gov/product.php' }],
      category: 'Climate and Weather',
      strikeDate: easternMidnight(midnight, 1),
      listed: moments.listed_a,
      close: moments.closed_a,
      expected: midnight + DAY + 10 * HOUR,
      earlyClose:
        'This market will close and expire the sooner of the first 7:00 or 8:00 AM ET following the release of the data, or one week after the date.',
      habits: { spread: [0.5, 1], size: [80, 900] },
      expirationValue: String(settled),
    },
    rungs,
  );
}

type Words = Pick<RungA, 'code' | 'strike'> & { label: string; short: string; said: string };

/** Strict tails: "61° or above" is T60, "greater than 60". */
function wordsOf({ low, high }: Band): Words {
  if (low === Number.NEGATIVE_INFINITY) {
    const cap = high + 1;
    return {
      code: `T${cap}`,
      label: `${high}° or below`,
      short: `<${cap}`,
      said: `less than ${cap}°`,
      strike: { type: 'less', cap },
    };
  }
  if (high === Number.POSITIVE_INFINITY) {
    const floor = low - 1;
    return {
      code: `T${floor}`,
      label: `${low}° or above`,
      short: `>${floor}`,
      said: `greater than ${floor}°`,
      strike: { type: 'greater', floor },
    };
  }
  return {
    code: `B${low + 0.5}`,
    label: `${low}° to ${high}°`,
    short: `${low}-${high}`,
    said: `between ${low}-${high}°`,
    strike: { type: 'between', floor: low, cap: high },
  };
}
