import { DAY, easternMidnight, HOUR, shortDate } from '../../core/eastern.ts';
import { type ContractShapeA, listOnA } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import { type Band, type City, type Extreme, isInBand } from './cities.ts';

/** A city's day on venue A: the National Weather Service's report, strict tails. */
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
  const contracts = bands.map((band): ContractShapeA => {
    const text = bandTextOf(band);
    return {
      code: text.code,
      title: `Will the **${extreme === 'highest' ? 'high' : 'low'} temp in ${city.nameA}** be ${text.short}° on ${date}?`,
      yes: text.label,
      rules: [
        `If the ${extreme} temperature recorded at ${city.stationA} for ${date} as reported by the National Weather Service's Climatological Report (Daily), is ${text.rule}, then the market resolves to Yes.`,
        `Not all weather data is the same. While checking a source like AccuWeather or Google Weather may help guide your decision, the official and final value used to determine this market is the ${extreme} temperature as reported by the NWS Climatological Report (Daily). Its day runs on local standard time.`,
      ],
      strike: text.strike,
      fair: chance(band),
      pays: isInBand(band, settled),
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
      profile: { spread: [0.5, 1], size: [80, 900] },
      expirationValue: String(settled),
    },
    contracts,
  );
}

type BandText = Pick<ContractShapeA, 'code' | 'strike'> & { label: string; short: string; rule: string };

/** Strict tails: "61° or above" is T60, "greater than 60". */
function bandTextOf({ low, high }: Band): BandText {
  if (low === Number.NEGATIVE_INFINITY) {
    const cap = high + 1;
    return {
      code: `T${cap}`,
      label: `${high}° or below`,
      short: `<${cap}`,
      rule: `less than ${cap}°`,
      strike: { type: 'less', cap },
    };
  }
  if (high === Number.POSITIVE_INFINITY) {
    const floor = low - 1;
    return {
      code: `T${floor}`,
      label: `${low}° or above`,
      short: `>${floor}`,
      rule: `greater than ${floor}°`,
      strike: { type: 'greater', floor },
    };
  }
  return {
    code: `B${low + 0.5}`,
    label: `${low}° to ${high}°`,
    short: `${low}-${high}`,
    rule: `between ${low}-${high}°`,
    strike: { type: 'between', floor: low, cap: high },
  };
}
