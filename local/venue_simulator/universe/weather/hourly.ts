import { easternClock, HOUR, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, unit } from '../../core/random.ts';
import { above, listOnA } from '../listing/list_a.ts';
import type { Moments, Question } from '../question.ts';
import type { City } from './cities.ts';

/**
 * The temperature at one hour of the day, on venue A only: a lookalike of the day's highest
 * temperature.
 */
export function hourlyOnA(seed: number, city: City, midnight: number, day: Moments): Question {
  const hour = 14;
  const ticker = `KXTEMP${city.a}H-${tickerDate(midnight)}${hour}`;
  const at = easternClock(midnight, 0, hour);
  const title = `Temperature in ${city.nameA} on ${shortDate(midnight)} at 2 PM?`;
  const a = listOnA(
    {
      seed,
      ticker,
      title,
      sub: `On ${shortDate(midnight)}`,
      exclusive: false,
      sources: [{ name: 'National Weather Service', url: 'https://www.weather.gov/' }],
      category: 'Climate and Weather',
      strikeDate: at,
      listed: day.listed_a,
      close: at,
      expected: at + HOUR,
      profile: { spread: [0.8, 1], size: [60, 300] },
    },
    [-2, 0, 2].map((step) => {
      const floor = city.mean - 3 + step;
      const chance = 0.5 - step * 0.15;
      return {
        code: `T${floor}`,
        title,
        yes: `${floor + 1}° or above`,
        rules: [
          `If the temperature recorded at ${city.stationA} at 2:00 PM on ${shortDate(midnight)} is greater than ${floor}°, then the market resolves to Yes.`,
          '',
        ],
        strike: above(floor),
        fair: () => chance,
        pays: unit(keyOf(seed, ticker), 5) < chance,
      };
    }),
  );
  return {
    key: ticker,
    family: 'temperature_hourly',
    moments: day,
    a,
    b: null,
    legs: [],
    subject: `weather:${city.a}`,
  };
}
