import { easternParts, HOUR, longDay } from '../core/eastern.ts';
import { keyOf, pick, unit } from '../core/random.ts';
import { eventB, marketB, negRiskIdOf, slugText, WEATHER_FEE } from './listing_b.ts';
import type { EventB, Moments } from './question.ts';

import { type Band, type City, inside } from './weather_cities.ts';

/** A city's day as venue B lists it: Wunderground's station history. */
export function onB(
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
