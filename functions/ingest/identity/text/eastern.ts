import { once } from './once.ts';

/**
 * Dates and times in New York, in which both venues name days and hours. The zone of the server has
 * no effect.
 */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const two = (value: number): string => String(value).padStart(2, '0');

/** Returns 1..12 for "Aug", "AUGUST" …, else null. */
export function parseMonth(name: string): number | null {
  const index = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return index < 0 ? null : index + 1;
}

/** Returns "2026-08-09". Null when the day does not exist. */
export function isoDate(year: number, month: number, day: number): string | null {
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? `${year}-${two(month)}-${two(day)}` : null;
}

/** Parses the day in a ticker: "26AUG09" is 2026-08-09. */
export function parseTickerDate(text: string): string | null {
  const match = /^(\d{2})([A-Z]{3})(\d{2})$/i.exec(text);
  const month = match ? parseMonth(match[2] ?? '') : null;
  return match && month ? isoDate(2000 + Number(match[1]), month, Number(match[3])) : null;
}

// The first format of a process takes 10 ms.
const newYorkFormat = once(
  () =>
    new Intl.DateTimeFormat('en-CA', {
      timeZone: 'America/New_York',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

function newYorkClock(ms: number): { date: string; minutes: number } {
  const parts: Record<string, string> = {};
  for (const { type, value } of newYorkFormat().formatToParts(ms)) parts[type] = value;
  return { date: `${parts.year}-${parts.month}-${parts.day}`, minutes: Number(parts.hour) * 60 + Number(parts.minute) };
}

/** Returns the calendar day in New York at an instant. */
export function easternDate(at: string | number): string | null {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return Number.isNaN(ms) ? null : newYorkClock(ms).date;
}

/**
 * Returns the instant (ISO 8601, UTC) of a local date and time in New York. Null for an hour that
 * does not exist.
 */
export function easternInstant(date: string, hour: number, minute: number): string | null {
  if (hour > 23 || minute > 59) return null;
  const asUtc = Date.parse(`${date}T${two(hour)}:${two(minute)}:00Z`);
  if (Number.isNaN(asUtc)) return null;
  // New York is 4 or 5 hours behind UTC. The right offset gives the requested local time.
  for (const hours of [4, 5]) {
    const ms = asUtc + hours * 3_600_000;
    const clock = newYorkClock(ms);
    if (clock.date === date && clock.minutes === hour * 60 + minute) return new Date(ms).toISOString();
  }
  return null;
}

/**
 * Parses a timestamp of either venue ("2026-09-20 17:00:00+00", "…Z") to ISO 8601 in UTC. Null when
 * it is invalid.
 */
export function parseInstant(value: string | null): string | null {
  if (value === null || !/^\d{4}-\d{2}-\d{2}/.test(value)) return null;
  const ms = Date.parse(value.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00'));
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** Days from `a` to `b`, both "YYYY-MM-DD". */
export function daysBetween(a: string, b: string): number {
  return Math.round((Date.parse(b) - Date.parse(a)) / 86_400_000);
}

/**
 * Returns the first date in a text: "Sep 13, 2026", "September 20" or "2026-09-20". A missing year
 * is the one that is nearest to `near`.
 */
export function parseDate(text: string, near: string | null): string | null {
  const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(text);
  if (iso) return isoDate(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const match =
    /\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b/i.exec(
      text,
    );
  const month = match ? parseMonth(match[1] ?? '') : null;
  if (!match || !month) return null;
  if (match[3]) return isoDate(Number(match[3]), month, Number(match[2]));
  if (near === null) return null;
  const year = Number(near.slice(0, 4));
  const candidates = [year - 1, year, year + 1]
    .map((y) => isoDate(y, month, Number(match[2])))
    .filter((d): d is string => d !== null);
  return candidates.sort((a, b) => Math.abs(daysBetween(a, near)) - Math.abs(daysBetween(b, near)))[0] ?? null;
}
