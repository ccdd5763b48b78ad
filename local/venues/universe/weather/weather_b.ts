import { easternParts, HOUR, longDay, MONTHS } from '../../core/eastern.ts';
import { unit as draw, keyOf, pick } from '../../core/random.ts';
import { eventB, marketB, negRiskIdOf, slugText, WEATHER_FEE } from '../listing_b.ts';
import type { Caution, EventB, Moments } from '../question.ts';

import { type Band, type CelsiusCity, type City, type Extreme, inside } from './cities.ts';

/** A city's day as venue B lists it: Wunderground's station history. */
export function onB(
  seed: number,
  city: City | CelsiusCity,
  extreme: Extreme,
  midnight: number,
  moments: Moments,
  bands: readonly Band[],
  chance: (band: Band) => (t: number) => number,
  settled: number,
  caution: Caution | null = null,
): EventB {
  const day = longDay(midnight);
  const { year, month, day: date } = easternParts(midnight);
  const [unit, degrees] = 'series' in city ? (['F', 'Fahrenheit'] as const) : (['C', 'Celsius'] as const);
  const letter = unit.toLowerCase();
  const slug = `${extreme}-temperature-in-${city.slug}-on-${slugText(day)}-${year}`;
  const negRiskId = negRiskIdOf(seed, slug);
  const noon = Date.parse(`${new Date(midnight + 12 * HOUR).toISOString().slice(0, 10)}T12:00:00Z`);
  // The venue writes the date of the text as "14 May '26" (recorded May 2026).
  const told = caution === 'rules_contradict_fields' ? (date % 25) + 3 : date;
  const written = `${told} ${MONTHS[month - 1]} '${String(year).slice(2)}`;
  const description =
    caution === 'no_rules'
      ? ''
      : `This market will resolve to the temperature range that contains the ${extreme} temperature recorded at the ${city.stationB} in degrees ${degrees} on ${written}.\n\nThe resolution source for this market will be information from Wunderground, specifically the ${extreme} temperature recorded for all times on this day by the ${city.stationB}, once it is finalized.\n\nTemperatures are measured to whole degrees ${degrees}; revisions made after the data is finalized will not be considered.`;
  const markets = bands.map((band, i) => {
    const label =
      band.low === Number.NEGATIVE_INFINITY
        ? `${band.high}°${unit} or below`
        : band.high === Number.POSITIVE_INFINITY
          ? `${band.low}°${unit} or higher`
          : band.low === band.high
            ? `${band.low}°${unit}`
            : `${band.low}-${band.high}°${unit}`;
    const end =
      band.low === Number.NEGATIVE_INFINITY
        ? `${band.high}${letter}orbelow`
        : band.high === Number.POSITIVE_INFINITY
          ? `${band.low}${letter}orhigher`
          : band.low === band.high
            ? `${band.low}${letter}`
            : `${band.low}-${band.high}${letter}`;
    const between = label.includes('-') ? `between ${label}` : label;
    const key = keyOf(seed, slug, end);
    return marketB(
      seed,
      {
        slug: `${slug}-${end}`,
        question: `Will the ${extreme} temperature in ${city.nameB} be ${between} on ${day}?`,
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
      { key, fair: chance(band), halfSpread: 4 + 6 * draw(key, 21), scale: 80 + pick(key, 23, 700) },
      inside(band, settled) ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: `${extreme === 'highest' ? 'Highest' : 'Lowest'} temperature in ${city.nameB} on ${day}?`,
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
