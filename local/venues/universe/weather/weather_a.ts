import { DAY, HOUR, shortDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import type { ContractA, EventA, Moments } from '../question.ts';

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
  const series = ticker.slice(0, ticker.indexOf('-'));
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
        title: `Will the **${extreme === 'highest' ? 'high' : 'low'} temp in ${city.nameA}** be ${tail === 'less' ? `<${band.high + 1}` : tail === 'greater' ? `>${band.low - 1}` : `${band.low}-${band.high}`}° on ${date}?`,
        yes,
        rules: [
          `If the ${extreme} temperature recorded at ${city.stationA} for ${date} as reported by the National Weather Service's Climatological Report (Daily), is ${said}, then the market resolves to Yes.`,
          `Not all weather data is the same. While checking a source like AccuWeather or Google Weather may help guide your decision, the official and final value used to determine this market is the ${extreme} temperature as reported by the NWS Climatological Report (Daily). Its day runs on local standard time.`,
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
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title: `${extreme === 'highest' ? 'Highest' : 'Lowest'} temperature in ${city.nameA} on ${date}?`,
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
