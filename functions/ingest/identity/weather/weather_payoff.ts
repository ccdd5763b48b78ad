import { findNegation, payoffOfText } from '../terms/payoff_terms.ts';
import { type PayoffResult, worstOf } from '../text/payoff.ts';
import { type Band, parseBand, parseBandInRules, sameBand } from './band.ts';
import { type City, cityByName, cityOfStation, stationOfPhrase } from './weather_places.ts';
import { type Extreme, parseDay, parseExtremes, unitNamed } from './weather_terms.ts';

/**
 * What the fields of a listing ask. A contract pays it when its payoff sentence names the extreme
 * of the ladder, and no other statistic, city, band, day or unit.
 */
export type ExpectedBand = { city: City; extreme: Extreme; on_date: string | null; band: Band | null };

const NEGATED = /(?:\b(?:not|never|outside|except)\b|n[’']t\b)/i;
/** Figures of the same report that are not the highest or lowest temperature. */
const OTHER =
  /\b(?:average|mean|median|dew ?points?|heat index|wind ?chill|feels[- ]like|apparent|humidity|precipitation|rainfall|snowfall|wind speed|record(?:-| )breaking|departure|normal)\b/i;

const PLACE = /\b(?:at|in|by|for) (?:the )?(?=(.{1,80}?)(?: for | in | as | on | is |,|\.|$))/gi;

/** Returns the known cities in which a sentence measures, by city name or station name. */
const parseCities = (condition: string): string[] =>
  [...condition.matchAll(PLACE)].flatMap(([, place = '']) => {
    const station = stationOfPhrase(place);
    return cityByName(place)?.id ?? (station === null ? null : cityOfStation(station)) ?? [];
  });

function checkCondition(condition: string, { city, extreme, on_date, band }: ExpectedBand): PayoffResult {
  if (NEGATED.test(condition) || OTHER.test(condition)) return 'contradicts';
  const cities = parseCities(condition);
  if (cities.length > 0 && !cities.includes(city.id)) return 'contradicts';
  const day = parseDay(condition);
  if (day !== null && on_date !== null && day !== on_date) return 'contradicts';
  const unit = unitNamed(condition);
  if (unit !== null && band !== null && unit !== band.unit) return 'contradicts';
  const label = /\bis ((?:-?\d{1,3}°?F? or (?:above|below|higher|lower))|(?:-?\d{1,3}°? (?:to|-) -?\d{1,3}°?))/i.exec(
    condition,
  )?.[1];
  const stated = parseBandInRules(condition) ?? (label === undefined ? null : parseBand(label, band?.unit ?? 'F'));
  if (stated !== null && band !== null && !sameBand(stated, band)) return 'contradicts';
  const extremes = parseExtremes(condition);
  if (extremes.size === 0) return 'not_found';
  return extremes.has(extreme) ? 'agrees' : 'contradicts';
}

/**
 * One contract of a ladder with its own words. `band` is null when the text is that of the whole
 * ladder.
 */
export type BandText = { titles: readonly (string | null)[]; text: string | null; band: Band | null };

export function payoffOfBands(
  title: string | null,
  contracts: readonly BandText[],
  expected: Omit<ExpectedBand, 'band'>,
): PayoffResult {
  const isInverted = (text: string | null): boolean =>
    text !== null && (findNegation(text) !== null || OTHER.test(text.replace(cityIn(text), ' ')));
  if (isInverted(title)) return 'contradicts';
  return worstOf(
    contracts.flatMap(({ titles, text, band }): PayoffResult[] => {
      if (titles.some(isInverted)) return ['contradicts'];
      return text === null ? [] : [payoffOfText(text, (condition) => checkCondition(condition, { ...expected, band }))];
    }),
  );
}

/** Returns the city in a title, so that a place called Normal is not read as a statistic. */
const cityIn = (text: string): string => {
  const named = / in (.+?) (?:be|on|not)\b/i.exec(text)?.[1] ?? '';
  return cityByName(named) === null ? '' : named;
};
