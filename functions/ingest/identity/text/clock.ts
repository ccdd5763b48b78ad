import { isoDate } from './eastern.ts';

/**
 * Parses a clock time in a text together with its zone. Both venues usually state hours in New York
 * time and write it ("5PM ET"). The zone of a clock without one comes from the rest of the listing.
 * A clock with an unknown zone gives no instant.
 */

/**
 * `known`: a zone by its IANA name or its minutes from UTC. `none`: the text names no zone.
 * `unknown`: it names one that is not in the table.
 */
export type Zone =
  | { kind: 'known'; zone: string | number; abbreviation: string | null }
  | { kind: 'none' }
  | { kind: 'unknown' };
export type Clock = { hour: number; minute: number; zone: Zone };

export const NEW_YORK = 'America/New_York';

/**
 * Zones by their names. The last value is the offset in minutes of a name that is valid in one
 * season only.
 */
const ZONES: readonly [RegExp, string | number, number | null][] = [
  [/^(?:et|eastern)$/, NEW_YORK, null],
  [/^est$/, NEW_YORK, -300],
  [/^edt$/, NEW_YORK, -240],
  [/^(?:new york|nyc|ny|us eastern|u s eastern)$/, NEW_YORK, null],
  [/^(?:utc|gmt|z|zulu|greenwich mean|greenwich|coordinated universal|universal)$/, 0, null],
  [/^(?:london|uk|british|united kingdom)$/, 'Europe/London', null],
  [/^(?:bst|british summer)$/, 'Europe/London', 60],
  [/^(?:central european|berlin|paris|madrid|rome|frankfurt|amsterdam|brussels|zurich)$/, 'Europe/Berlin', null],
  [/^cet$/, 'Europe/Berlin', 60],
  [/^(?:cest|central european summer)$/, 'Europe/Berlin', 120],
  [/^(?:eastern european|athens|helsinki|kyiv)$/, 'Europe/Athens', null],
  [/^eet$/, 'Europe/Athens', 120],
  [/^eest$/, 'Europe/Athens', 180],
  [/^lisbon$/, 'Europe/Lisbon', null],
  [/^wet$/, 'Europe/Lisbon', 0],
  [/^west$/, 'Europe/Lisbon', 60],
  [/^(?:msk|moscow)$/, 'Europe/Moscow', null],
  [/^(?:ct|us central|chicago)$/, 'America/Chicago', null],
  [/^cdt$/, 'America/Chicago', -300],
  [/^(?:mt|mountain|denver)$/, 'America/Denver', null],
  [/^mst$/, 'America/Denver', -420],
  [/^mdt$/, 'America/Denver', -360],
  [/^(?:pt|pacific|los angeles|san francisco|seattle)$/, 'America/Los_Angeles', null],
  [/^pst$/, 'America/Los_Angeles', -480],
  [/^pdt$/, 'America/Los_Angeles', -420],
  [/^(?:jst|japan|tokyo|japan standard)$/, 'Asia/Tokyo', null],
  [/^(?:kst|korea|seoul|korea standard)$/, 'Asia/Seoul', null],
  [/^(?:hkt|hong kong)$/, 'Asia/Hong_Kong', null],
  [/^(?:sgt|singapore)$/, 'Asia/Singapore', null],
  [/^(?:china|beijing|shanghai)$/, 'Asia/Shanghai', null],
  [/^(?:india|mumbai|delhi|new delhi)$/, 'Asia/Kolkata', null],
  [/^(?:gst|dubai)$/, 'Asia/Dubai', null],
  [/^(?:sydney|melbourne)$/, 'Australia/Sydney', null],
  [/^aest$/, 'Australia/Sydney', 600],
  [/^aedt$/, 'Australia/Sydney', 660],
  [/^(?:brt|sao paulo|brasilia)$/, 'America/Sao_Paulo', null],
];

/** Words and capitals after a clock that name no zone: "5 PM ON MAY 3", "12:00 (noon)". */
const NO_ZONE = new Set('on at in the of and or to is if by be as for this that noon midnight sharp local'.split(' '));
const MONTHS = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;
const OFFSET = /^(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/;

function parseZone(written: string): Zone {
  const name = written.toLowerCase().replace(/\./g, '').replace(/\s+/g, ' ').trim();
  const offset = OFFSET.exec(name.replace(/−/g, '-'));
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    return { kind: 'known', zone: offset[1] === '-' ? -minutes : minutes, abbreviation: null };
  }
  const found = ZONES.find(([pattern]) => pattern.test(name));
  return found === undefined
    ? { kind: 'unknown' }
    : { kind: 'known', zone: found[1], abbreviation: found[2] === null ? null : name };
}

const CLOCK = /\b(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\b\.?|\b(\d{1,2}):(\d{2})\b(?!:)|\b(?:12 )?(noon|midnight)\b/gi;
/** "UTC", "UTC+2", "(ET)", "in the ET timezone", "London time", "Eastern Daylight Time". */
const ZONE_AFTER_CLOCK =
  /^[\s,]*\(?(?:noon\)?[\s,]*\(?)?(?:in (?:the )?|by )?(?:((?:UTC|GMT) ?[+\-−] ?\d{1,2}(?::?\d{2})?)|([A-Za-z][A-Za-z.]*(?: [A-Za-z]+){0,2}?)(?:['’]s)? (?:(?:standard|daylight|summer) )?(?:time(?:[ -]?zone)?|timezone|clock)\b|([A-Za-z]{1,5})\b)/i;

/** Parses the zone after a clock. Unknown lower-case words count as a zone only with `anyCase`. */
function parseZoneAfter(rest: string, anyCase: boolean): Zone {
  const match = ZONE_AFTER_CLOCK.exec(rest);
  if (!match) return { kind: 'none' };
  const [, offset, timed, bare] = match;
  if (offset !== undefined) return parseZone(offset.replace(/ /g, ''));
  if (timed !== undefined) {
    const name = timed.replace(/\b(?:standard|daylight|summer)$/i, '').trim();
    const words = name.toLowerCase().split(' ');
    // "at 5 PM the closing time": words of a sentence, not a zone.
    if (words.some((word) => NO_ZONE.has(word) && word !== 'local')) return { kind: 'none' };
    return parseZone(name);
  }
  const word = bare ?? '';
  const lower = word.toLowerCase();
  if (MONTHS.test(lower) || NO_ZONE.has(lower)) return { kind: 'none' };
  const named = parseZone(word);
  if (named.kind === 'known') return named;
  return anyCase || /^[A-Z]{2,5}$/.test(word) ? { kind: 'unknown' } : { kind: 'none' };
}

function hourOf(match: RegExpExecArray | RegExpMatchArray): { hour: number; minute: number } | null {
  const [, twelve, minutes, half, day, past, word] = match;
  if (word !== undefined) return { hour: word.toLowerCase() === 'noon' ? 12 : 0, minute: 0 };
  const hour = twelve === undefined ? Number(day) : (Number(twelve) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0);
  const minute = Number(minutes ?? past ?? 0);
  return hour > 23 || minute > 59 || (twelve !== undefined && Number(twelve) > 12) ? null : { hour, minute };
}

/**
 * Returns every clock in a text, in order. `anyCase` is for slugs, which write zones in lower case.
 */
export function parseClocks(text: string, anyCase = false): Clock[] {
  return [...text.matchAll(CLOCK)].flatMap((match) => {
    const time = hourOf(match);
    if (time === null) return [];
    const rest = text.slice((match.index ?? 0) + match[0].length, (match.index ?? 0) + match[0].length + 60);
    return [{ ...time, zone: parseZoneAfter(rest, anyCase) }];
  });
}

/** Returns the first clock in a text. Null when there is none. */
export const parseClock = (text: string, anyCase = false): Clock | null => parseClocks(text, anyCase)[0] ?? null;

const formats = new Map<string, Intl.DateTimeFormat>();
/** Returns the local time of a zone at an instant: YYYY-MM-DDTHH:MM. */
export function wallClock(ms: number, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(zone, format);
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = value;
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * Returns the instant of a local date and time in a zone. Null for an hour that a clock change
 * skips.
 */
function instantInZone(zone: string, date: string, hour: number, minute: number): string | null {
  const wanted = `${date}T${two(hour)}:${two(minute)}`;
  const asUtc = Date.parse(`${wanted}:00Z`);
  // The local time at the same instant of UTC gives the offset, except in the hours around a clock
  // change.
  for (const near of [0, -6 * 3_600_000, 6 * 3_600_000]) {
    const ahead = Date.parse(`${wallClock(asUtc + near, zone)}:00Z`) - (asUtc + near);
    if (wallClock(asUtc - ahead, zone) === wanted) return new Date(asUtc - ahead).toISOString();
  }
  return null;
}

/**
 * Returns the instant of a clock on a day in its own zone. A clock without a zone takes
 * `otherwise`. Null for an unknown zone, and for a zone name of the other season ("5 PM EST" in
 * July).
 */
export function instantOfClock(date: string, { hour, minute, zone }: Clock, otherwise: string | null): string | null {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (isoDate(year, month, day) === null || zone.kind === 'unknown') return null;
  const where = zone.kind === 'known' ? zone.zone : otherwise;
  if (where === null) return null;
  if (typeof where === 'number')
    return new Date(Date.parse(`${date}T${two(hour)}:${two(minute)}:00Z`) - where * 60_000).toISOString();
  const at = instantInZone(where, date, hour, minute);
  const season = zone.kind === 'known' && zone.abbreviation !== null ? seasonOf(zone.abbreviation) : null;
  if (at === null || season === null) return at;
  const offset = (Date.parse(`${date}T${two(hour)}:${two(minute)}:00Z`) - Date.parse(at)) / 60_000;
  return offset === season ? at : null;
}

const seasonOf = (abbreviation: string): number | null =>
  ZONES.find(([pattern]) => pattern.test(abbreviation))?.[2] ?? null;
