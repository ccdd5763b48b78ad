import { daysBetween, easternDate, isoDate, parseInstant, parseMonth } from '../text/eastern.ts';

/**
 * The period in which a price may be touched. `key` is the same on both venues for the same period:
 * "2026-07", "2026", "2026-04-22", "2026-04-13..2026-04-19", or "by:2026-06-30" when only the end
 * is stated.
 */
export type Period = { key: string; until: string; year_by: 'text' | 'end_date' | 'inferred' };

/**
 * Sources of a missing year. `years` holds the years that the listing writes elsewhere (slug,
 * title).
 */
export type Hints = { years: readonly number[]; end: string | null; now: string };

type Dated = { key: string; until: string };
type Shape = { year: number | null; make: (year: number) => Dated | null };

const M = '(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\\.?';
const D = '(\\d{1,2})(?:st|nd|rd|th)?\\b';
const Y = '(?:,? (20\\d{2}))?';
const toPattern = (source: string): RegExp => new RegExp(`\\b${source}`, 'i');
const WEEK = toPattern(`week of ${M} ${D}${Y}`);
const RANGE = toPattern(`${M} ${D}(?: ?(?:-|–|—|to) ?| )(?:${M} )?${D}${Y}`);
const ON = toPattern(`on ${M} ${D}${Y}`);
const BY_DAY = toPattern(`by (?:11:59 ?pm (?:et )?on )?${M} ${D}${Y}`);
const BEFORE_DAY = toPattern(`before ${M} ${D}${Y}`);
const BY_MONTH = toPattern(`by (?:the )?end of ${M}${Y}`);
const MONTH = toPattern(`in ${M}${Y}\\b(?! ?\\d)`);
const YEAR = /\b(?:in|by (?:the )?end of) (20\d{2})\b/i;
const BEFORE_YEAR = /\bbefore (20\d{2})\b/i;

const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

const lastDay = (year: number, month: number): string => new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);

export const wholeMonth = (year: number, month: number): Dated => {
  const until = lastDay(year, month);
  return { key: until.slice(0, 7), until };
};

export const wholeYear = (year: number): Dated => ({ key: String(year), until: `${year}-12-31` });

/**
 * Only the end is stated. The end of a year means the whole year, because both venues list it like
 * that.
 */
export const through = (until: string): Dated =>
  until.endsWith('-12-31') ? wholeYear(Number(until.slice(0, 4))) : { key: `by:${until}`, until };

const span = (from: string | null, until: string | null): Dated | null =>
  from === null || until === null || until < from ? null : { key: `${from}..${until}`, until };

const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
const month = (text: string | undefined): number => parseMonth(text ?? '') ?? 0;

/**
 * The first matching pattern decides. The order prevents that "by end of June" is parsed as "June".
 */
const GRAMMAR: readonly [RegExp, (m: RegExpExecArray) => Shape][] = [
  [
    WEEK,
    (m) => ({
      year: number(m[3]),
      make: (y) => {
        const from = isoDate(y, month(m[1]), Number(m[2]));
        return from === null ? null : span(from, addDays(from, 6));
      },
    }),
  ],
  [
    RANGE,
    (m) => ({
      year: number(m[5]),
      make: (y) => span(isoDate(y, month(m[1]), Number(m[2])), isoDate(y, month(m[3] ?? m[1]), Number(m[4]))),
    }),
  ],
  [BY_DAY, (m) => ({ year: number(m[3]), make: (y) => ending(isoDate(y, month(m[1]), Number(m[2])), 0) })],
  [BEFORE_DAY, (m) => ({ year: number(m[3]), make: (y) => ending(isoDate(y, month(m[1]), Number(m[2])), -1) })],
  [ON, (m) => ({ year: number(m[3]), make: (y) => dayOnly(isoDate(y, month(m[1]), Number(m[2]))) })],
  [BY_MONTH, (m) => ({ year: number(m[2]), make: (y) => through(lastDay(y, month(m[1]))) })],
  [MONTH, (m) => ({ year: number(m[2]), make: (y) => wholeMonth(y, month(m[1])) })],
  [YEAR, (m) => ({ year: number(m[1]), make: wholeYear })],
  [BEFORE_YEAR, (m) => ({ year: Number(m[1]), make: (y) => wholeYear(y - 1) })],
];

const dayOnly = (date: string | null): Dated | null => (date === null ? null : { key: date, until: date });
const ending = (date: string | null, days: number): Dated | null =>
  date === null ? null : through(addDays(date, days));

/**
 * Returns the period that ends nearest to `near`, with the year before, the same year or the year
 * after.
 */
function nearest(shape: Shape, near: string): Dated | null {
  const nearYear = Number(near.slice(0, 4));
  const dated = [nearYear - 1, nearYear, nearYear + 1].map(shape.make).filter((one): one is Dated => one !== null);
  return dated.sort((a, b) => Math.abs(daysBetween(a.until, near)) - Math.abs(daysBetween(b.until, near)))[0] ?? null;
}

/** Returns the period that a text names, or null. */
export function parsePeriod(text: string, hints: Hints): Period | null {
  for (const [pattern, toShape] of GRAMMAR) {
    const match = pattern.exec(text);
    if (!match) continue;
    const shape = toShape(match);
    const years = shape.year !== null ? [shape.year] : [...new Set(hints.years)];
    if (years.length === 1) {
      const dated = shape.make(years[0] as number);
      return dated === null ? null : { ...dated, year_by: 'text' };
    }
    const end = hints.end === null ? null : easternDate(hints.end);
    const near = end ?? easternDate(parseInstant(hints.now) ?? '');
    const dated = near === null ? null : nearest(shape, near);
    return dated === null ? null : { ...dated, year_by: end === null ? 'inferred' : 'end_date' };
  }
  return null;
}

const YEAR_AFTER_MONTH =
  /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[\s-]+(?:\d{1,2},?[\s-]+)?(20\d{2})(?!\d)/gi;

/**
 * Returns the years that texts write after a month: "…-in-july-2026", "… Jul 31, 2026". A price
 * such as 2030 is not a year.
 */
export function parseYears(...texts: readonly (string | null)[]): number[] {
  const found = texts.flatMap((text) => [...(text ?? '').matchAll(YEAR_AFTER_MONTH)]);
  return [...new Set(found.map((match) => Number(match[1])))];
}
