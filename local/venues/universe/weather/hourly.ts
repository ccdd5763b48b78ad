import { HOUR, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import type { ContractA, Moments, Question } from '../question.ts';
import type { City } from './cities.ts';

/** The temperature at one hour of the day: the look-alike of the day's highest, on venue A only. */
export function hourlyOnA(seed: number, city: City, midnight: number, day: Moments): Question {
  const hour = 14;
  const series = `KXTEMP${city.a}H`;
  const ticker = `${series}-${tickerDate(midnight)}${hour}`;
  const at = midnight + hour * HOUR;
  const title = `Temperature in ${city.nameA} on ${shortDate(midnight)} at 2 PM?`;
  const contracts = [-2, 0, 2].map((step): ContractA => {
    const floor = city.mean - 3 + step;
    const market = `${ticker}-T${floor}`;
    const key = keyOf(seed, market);
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title,
          yes: `${floor + 1}° or above`,
          rules: [
            `If the temperature recorded at ${city.stationA} at 2:00 PM on ${shortDate(midnight)} is greater than ${floor}°, then the market resolves to Yes.`,
            '',
          ],
          open: day.listed_a,
          close: at,
          expected: at + HOUR,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 300,
          strike: { type: 'greater', floor },
        },
        key,
      ),
      quoting: {
        key,
        fair: () => 0.5 - step * 0.15,
        halfSpread: 0.8 + unit(key, 1),
        scale: 60 + pick(key, 2, 300),
        tick: 100,
      },
      pays: unit(keyOf(seed, ticker), 5) < 0.5 - step * 0.15 ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  const a = {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title,
      sub: `On ${shortDate(midnight)}`,
      exclusive: false,
      sources: [{ name: 'National Weather Service', url: 'https://www.weather.gov/' }],
      category: 'Climate and Weather',
      strikeDate: at,
      updated: day.listed_a,
    }),
    contracts,
    milestone: null,
  };
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
