/** Both venues name days by the calendar of New York, independent of the server's time zone. */

export type EasternParts = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  zone: 'EDT' | 'EST';
};

const FORMAT = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  hourCycle: 'h23',
});
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const LONG_MONTHS = 'January February March April May June July August September October November December'.split(' ');

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

export function easternParts(ms: number): EasternParts {
  const offset = offsetAt(ms);
  const wall = new Date(ms + offset);
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    zone: offset === -4 * HOUR ? 'EDT' : 'EST',
  };
}

/** Offsets per hour, because clocks change on the hour and the calendar lookup is expensive. */
const offsets = new Map<number, number>();

function offsetAt(ms: number): number {
  const hour = Math.floor(ms / HOUR);
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  const parts: Record<string, number> = {};
  for (const { type, value } of FORMAT.formatToParts(hour * HOUR)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour: clock = 0 } = parts;
  const offset = Date.UTC(year, month - 1, day, clock) - hour * HOUR;
  offsets.set(hour, offset);
  return offset;
}

/** The instant of a local time in New York. */
export function easternInstant(year: number, month: number, day: number, hour: number, minute = 0): number {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  const winter = asUtc + 5 * HOUR;
  return easternParts(winter).zone === 'EST' ? winter : asUtc + 4 * HOUR;
}

/**
 * An hour of New York time on the day of `ms`, or `days` later. Because of clock changes, noon is
 * not always twelve hours after midnight.
 */
export function easternClock(ms: number, days: number, hour: number): number {
  const { year, month, day } = easternParts(ms);
  const shifted = new Date(Date.UTC(year, month - 1, day + days));
  return easternInstant(shifted.getUTCFullYear(), shifted.getUTCMonth() + 1, shifted.getUTCDate(), hour);
}

export const easternMidnight = (ms: number, days = 0): number => easternClock(ms, days, 0);

const two = (value: number): string => String(value).padStart(2, '0');

/** "26AUG09", the date in venue A's tickers. */
export function tickerDate(ms: number): string {
  const { year, month, day } = easternParts(ms);
  return `${two(year % 100)}${(MONTHS[month - 1] ?? '').toUpperCase()}${two(day)}`;
}

/** "2020", hours and minutes in baseball tickers. */
export function tickerTime(ms: number): string {
  const { hour, minute } = easternParts(ms);
  return two(hour) + two(minute);
}

/** "2026-08-09" in New York. */
export function easternDate(ms: number): string {
  const { year, month, day } = easternParts(ms);
  return `${year}-${two(month)}-${two(day)}`;
}

/** "Aug 9, 2026". */
export function shortDate(ms: number): string {
  const { year, month, day } = easternParts(ms);
  return `${MONTHS[month - 1]} ${day}, ${year}`;
}

/** "Aug 9". */
export function shortDay(ms: number): string {
  const { month, day } = easternParts(ms);
  return `${MONTHS[month - 1]} ${day}`;
}

/** "August 9". */
export function longDay(ms: number): string {
  const { month, day } = easternParts(ms);
  return `${LONG_MONTHS[month - 1]} ${day}`;
}

export function longMonth(ms: number): string {
  return LONG_MONTHS[easternParts(ms).month - 1] ?? '';
}

/** "8:20 PM". */
export function clockTime(ms: number): string {
  const { hour, minute } = easternParts(ms);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** "2026-08-09T20:20:00Z": whole seconds, as both venues write schedule times. */
export function isoSeconds(ms: number): string {
  const known = isoTexts.get(ms);
  if (known !== undefined) return known;
  if (isoTexts.size >= MAX_ISO_TEXTS) isoTexts.clear();
  const text = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  isoTexts.set(ms, text);
  return text;
}

/** All markets of an event state the same times, and a tenth of the cost of a listing was these. */
const isoTexts = new Map<number, string>();
const MAX_ISO_TEXTS = 2_000;

/** "2026-09-20 17:00:00+00", venue B's gameStartTime. */
export function spacedTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+00`;
}
