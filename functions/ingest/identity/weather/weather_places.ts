import type { VenueCode } from '../../listing.ts';
import cityFile from '../registry/cities.json' with { type: 'json' };
import stationFile from '../registry/stations.json' with { type: 'json' };
import { hasPhrase, normalize } from '../text/text.ts';
import type { Unit } from './band.ts';

/** Cities and weather stations, as data. A name that is not in it is unknown. */

export type City = {
  id: string;
  name: string;
  /** IANA time zone. */
  zone: string;
  /** The unit that markets of this city use. */
  unit: Unit;
  names: string[];
  /** The code after KXHIGH[T] and KXLOW[T] in series of venue_a. */
  venue_a: string[];
  /** The station that each venue usually uses there. Null when it is unknown. */
  station: Record<VenueCode, string | null>;
};

type Station = { id: string; name: string; city: string; cli?: string; phrases: string[] };

const CITIES = cityFile.cities as readonly City[];
const STATIONS = stationFile.stations as readonly Station[];

const byName = new Map(CITIES.flatMap((city) => city.names.map((name) => [normalize(name), city] as const)));
const byCode = new Map(CITIES.flatMap((city) => city.venue_a.map((code) => [code, city] as const)));
const byId = new Map(STATIONS.map((station) => [station.id, station]));
const byReport = new Map(STATIONS.flatMap((station) => (station.cli ? [[station.cli, station.id] as const] : [])));
const phrases = STATIONS.flatMap((station) =>
  station.phrases.map((phrase) => ({ phrase: normalize(phrase), id: station.id })),
);

export const cityByName = (name: string): City | null => byName.get(normalize(name)) ?? null;

/**
 * "KXHIGHTOKC" is the highest temperature of Oklahoma City. Some series have a T before the code,
 * others do not.
 */
export function seriesPlace(series: string): { extreme: 'high' | 'low'; city: City } | null {
  const match = /^(?:KX)?(HIGH|LOW)([A-Z]+)$/.exec(series);
  const code = match?.[2] ?? '';
  const city = byCode.get(code) ?? (code.startsWith('T') ? byCode.get(code.slice(1)) : undefined);
  return match && city ? { extreme: match[1] === 'HIGH' ? 'high' : 'low', city } : null;
}

export const cityOfStation = (id: string): string | null => byId.get(id)?.city ?? null;

/** Returns the station of a report: "CLIMDW", or "issuedby=MDW" of an office. */
export const stationOfReport = (code: string): string | null => byReport.get(code.toUpperCase()) ?? null;

export const isStation = (id: string): boolean => byId.has(id);

/** Returns the station that a phrase of a text names. Null for none or two. */
export function stationOfPhrase(phrase: string): string | null {
  const normalized = normalize(phrase).replace(/\bintl\b/g, 'international');
  const found = phrases.filter(({ phrase }) => hasPhrase(normalized, phrase));
  const longest = Math.max(0, ...found.map(({ phrase }) => phrase.length));
  const ids = new Set(found.filter(({ phrase }) => phrase.length === longest).map(({ id }) => id));
  return ids.size === 1 ? ([...ids][0] ?? null) : null;
}
