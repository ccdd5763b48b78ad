import { easternParts, HOUR, longDay, MONTHS } from '../../core/eastern.ts';
import { listOnB } from '../listing/list_b.ts';
import { slugText, WEATHER_FEE } from '../listing/listing_b.ts';
import type { EventB, ListingDefect, Moments } from '../question.ts';
import { type Band, type CelsiusCity, type City, type Extreme, isInBand } from './cities.ts';

export const WEATHER_TAGS = [
  ['84', 'Weather', 'weather'],
  ['103040', 'Daily Temperature', 'temperature'],
] as const;
export const weatherSeriesB = ({ slug }: City | CelsiusCity): string => `${slug}-daily-weather`;

/** A city's day on venue B: Wunderground's station history. */
export function onB(
  seed: number,
  city: City | CelsiusCity,
  extreme: Extreme,
  midnight: number,
  moments: Moments,
  bands: readonly Band[],
  chance: (band: Band) => (t: number) => number,
  settled: number,
  defect: ListingDefect | null = null,
): EventB {
  const day = longDay(midnight);
  const unit = 'series' in city ? 'F' : 'C';
  const slug = `${extreme}-temperature-in-${city.slug}-on-${slugText(day)}-${easternParts(midnight).year}`;
  const questions = bands.map((band) => {
    const { label, end } = bandTextOf(band, unit);
    return {
      slug: `${slug}-${end}`,
      question: `Will the ${extreme} temperature in ${city.nameB} be ${label.includes('-') ? `between ${label}` : label} on ${day}?`,
      group: label,
      fair: chance(band),
      pays: isInBand(band, settled),
    };
  });
  return listOnB(
    {
      seed,
      slug,
      title: `${extreme === 'highest' ? 'Highest' : 'Lowest'} temperature in ${city.nameB} on ${day}?`,
      description: defect === 'no_rules' ? '' : rulesOf(city, extreme, unit, midnight, defect),
      resolution: 'https://www.wunderground.com/history',
      opened: moments.listed_b,
      end: Date.parse(`${new Date(midnight + 12 * HOUR).toISOString().slice(0, 10)}T12:00:00Z`),
      negRisk: true,
      series: weatherSeriesB(city),
      tags: WEATHER_TAGS,
      fee: WEATHER_FEE,
      tick: 10,
      profile: { spread: [4, 6], size: [80, 700] },
    },
    questions,
  );
}

function rulesOf(
  { stationB }: City | CelsiusCity,
  extreme: Extreme,
  unit: 'F' | 'C',
  midnight: number,
  defect: ListingDefect | null,
): string {
  const { year, month, day } = easternParts(midnight);
  const degrees = unit === 'F' ? 'Fahrenheit' : 'Celsius';
  // The venue writes the date in the rules as "14 May '26" (recorded May 2026).
  const writtenDay = defect === 'rules_contradict_fields' ? (day % 25) + 3 : day;
  const written = `${writtenDay} ${MONTHS[month - 1]} '${String(year).slice(2)}`;
  return [
    `This market will resolve to the temperature range that contains the ${extreme} temperature recorded at the ${stationB} in degrees ${degrees} on ${written}.`,
    `The resolution source for this market will be information from Wunderground, specifically the ${extreme} temperature recorded for all times on this day by the ${stationB}, once it is finalized.`,
    `Temperatures are measured to whole degrees ${degrees}; revisions made after the data is finalized will not be considered.`,
  ].join('\n\n');
}

/** The label of a band and the end of its slug: "61°F or higher" and "61forhigher". */
function bandTextOf({ low, high }: Band, unit: 'F' | 'C'): { label: string; end: string } {
  const letter = unit.toLowerCase();
  if (low === Number.NEGATIVE_INFINITY) return { label: `${high}°${unit} or below`, end: `${high}${letter}orbelow` };
  if (high === Number.POSITIVE_INFINITY) return { label: `${low}°${unit} or higher`, end: `${low}${letter}orhigher` };
  const degrees = low === high ? `${low}` : `${low}-${high}`;
  return { label: `${degrees}°${unit}`, end: `${degrees}${letter}` };
}
