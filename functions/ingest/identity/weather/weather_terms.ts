import type { Json, VenueCode } from '../../listing.ts';
import { allAgree, worstRulesState } from '../terms/terms.ts';
import { isoDate, parseDate, parseMonth } from '../text/eastern.ts';
import type { Unit } from './band.ts';
import { type City, cityOfStation, isStation, stationOfPhrase, stationOfReport } from './weather_places.ts';

/**
 * Settlement terms of a temperature contract. They come from the text only, never from the family,
 * and null is not agreement.
 */

export type Extreme = 'high' | 'low';

/** The texts of a listing, and the URLs of its sources. */
export type ListingTexts = {
  /** The text that the terms come from. */
  rules: string | null;
  /** The text of every contract. One of them may be unfilled, or be about another day. */
  texts: readonly string[];
  addresses: readonly string[];
};

const SOURCES: readonly [RegExp, string, string][] = [
  [/climatological report/i, 'nws_climatological_report', 'NWS climatological report'],
  [/the weather company/i, 'weather_company', 'The Weather Company'],
  [/wunderground|weather underground/i, 'wunderground', 'Wunderground'],
  [/weather\.gov\.hk|hong kong observatory/i, 'hong_kong_observatory', 'Hong Kong Observatory'],
  [/\bNOAA\b|weather\.gov/i, 'noaa', 'NOAA'],
];

/**
 * Returns the report that decides: the one that the text names first, because later ones are named
 * as warnings. Otherwise that of a URL.
 */
function parseSource(texts: ListingTexts): { id: string; name: string } | null {
  for (const words of [texts.rules ?? '', texts.addresses.join('\n')]) {
    const found = SOURCES.map(([pattern, id, name]) => ({ id, name, at: words.search(pattern) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (found) return found;
  }
  return null;
}

/** Returns every station that text and URLs name, by report code, by identifier or by name. */
function parseStations(texts: ListingTexts): Set<string> {
  const words = [texts.rules ?? '', ...texts.addresses].join('\n');
  const found = new Set<string>();
  for (const match of words.matchAll(/\bCLI([A-Z]{3})\b|issuedby=([A-Z]{3})\b/g)) {
    const id = stationOfReport(match[1] ?? match[2] ?? '');
    if (id !== null) found.add(id);
  }
  for (const match of words.matchAll(/\b([A-Z]{4})\b/g)) if (isStation(match[1] ?? '')) found.add(match[1] ?? '');
  for (const match of words.matchAll(/wunderground\.com\/history\/daily\/[\w/.-]*\/([A-Z]{4})\b/g))
    found.add(match[1] ?? '');
  for (const match of words.matchAll(/[?&]site=([a-z]{4})\b/gi)) found.add((match[1] ?? '').toUpperCase());
  const clause =
    /recorded (?:at|in|by|for) (?:the )?(.{1,120}?)(?: for | in degrees| as reported| on |,? is |$)/is.exec(
      texts.rules ?? '',
    );
  const named = clause ? stationOfPhrase(clause[1] ?? '') : null;
  if (named !== null) found.add(named);
  return found;
}

/** Returns the first day in a text: "May 14, 2026" or "14 May '26". */
export function parseDay(rules: string | null): string | null {
  const short = /\b(\d{1,2}) ([A-Z][a-z]{2,8}),? (?:'|’)?(\d{4}|\d{2})\b/.exec(rules ?? '');
  const month = short ? parseMonth(short[2] ?? '') : null;
  if (short && month)
    return isoDate(Number(short[3]) + ((short[3] ?? '').length === 2 ? 2000 : 0), month, Number(short[1]));
  return parseDate(rules ?? '', null);
}

/** Returns the unit that a text names. Null for none or both. */
export function unitNamed(rules: string): Unit | null {
  const fahrenheit = /in degrees fahrenheit|°\s?fahrenheit/i.test(rules);
  const celsius = /in degrees celsius|°\s?celsius/i.test(rules);
  return fahrenheit === celsius ? null : fahrenheit ? 'F' : 'C';
}

/** Returns every extreme that a sentence names. */
export const parseExtremes = (text: string): ReadonlySet<Extreme> =>
  new Set(
    [...text.matchAll(/\b(highest|maximum|max|high|lowest|minimum|min|low) temp/gi)].map((match) =>
      /^(?:h|ma)/i.test(match[1] ?? '') ? 'high' : 'low',
    ),
  );

function parseFirstExtreme(rules: string): Extreme | null {
  const word = /\b(highest|maximum|high|lowest|minimum|low) temp/i.exec(rules)?.[1]?.toLowerCase();
  return word === undefined ? null : word.startsWith('h') || word === 'maximum' ? 'high' : 'low';
}

/** Whether the text agrees with the fields of the listing. Null when it mentions none of them. */
function fieldsAgree(rules: string, station: string | null, listed: ListedExtreme): boolean | null {
  const day = parseDay(rules);
  const unit = unitNamed(rules);
  const extreme = parseFirstExtreme(rules);
  const city = station === null ? null : cityOfStation(station);
  const checks = [
    day === null || listed.on_date === null ? null : day === listed.on_date,
    unit === null ? null : unit === listed.unit,
    extreme === null ? null : extreme === listed.extreme,
    city === null ? null : city === listed.city.id,
  ].filter((one) => one !== null);
  return checks.length === 0 ? null : checks.every(Boolean);
}

function parseRounding(rules: string): string | null {
  if (/whole degrees?/i.test(rules)) return 'whole_degrees';
  return /\b(?:one|single|1) decimal\b|tenths? of a degree/i.test(rules) ? 'one_decimal' : null;
}

export type ListedExtreme = { venue: VenueCode; city: City; extreme: Extreme; on_date: string | null; unit: Unit };

/**
 * Parses terms and basis of a temperature listing. `station` comes from the text. When the text
 * names none, it is the usual one of the venue (`station_by` 'registry'). When the text names two,
 * it is null.
 */
export function weatherTerms(
  texts: ListingTexts,
  listed: ListedExtreme,
): { terms: { [key: string]: Json }; basis: string | null } {
  const { rules } = texts;
  const named = parseStations(texts);
  const usual = listed.city.station[listed.venue];
  const station = named.size === 1 ? ([...named][0] ?? null) : named.size === 0 ? usual : null;
  const source = parseSource(texts);
  const agree = allAgree(
    texts.texts.flatMap((text) => [
      fieldsAgree(text, named.size === 1 ? station : null, listed),
      // Another contract of the ladder may be measured elsewhere.
      [...parseStations({ ...texts, rules: text })].every((one) => named.has(one)) ? null : false,
    ]),
  );
  const basis = [station, source?.name].filter((part) => part !== null && part !== undefined).join(', ');
  return {
    basis: basis === '' ? null : basis,
    terms: {
      rules: worstRulesState(texts.texts),
      station,
      station_by: station === null ? null : named.size === 1 ? 'text' : 'registry',
      source: source?.id ?? null,
      sources: source === null ? [] : [source.name],
      unit: listed.unit,
      rounding: parseRounding(rules ?? ''),
      day:
        rules === null
          ? null
          : /local standard time/i.test(rules)
            ? 'local_standard'
            : /all times on this day/i.test(rules)
              ? 'calendar'
              : null,
      revisions:
        rules === null
          ? null
          : /revisions?[^.]*not be considered/i.test(rules)
            ? 'ignored'
            : /latest version/i.test(rules)
              ? 'latest'
              : null,
      fields_agree: named.size > 1 ? false : agree,
    },
  };
}
