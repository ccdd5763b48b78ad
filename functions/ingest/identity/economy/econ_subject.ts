import { parseMonth } from '../text/eastern.ts';
import { MAX_PLAIN_LENGTH } from '../text/summary_text.ts';
import { normalize } from '../text/text.ts';
import { BASES, COUNTRIES, INDICATORS } from './econ_registry.ts';

/**
 * What one title, question or slug names of an economic print. The fields are sets: a text that
 * names two values of one kind is not used for either.
 */
export type Subject = {
  /**
   * True when the text holds only words that such a question needs. Words such as "by", "reach",
   * "before" or "youth" ask something else.
   */
  closed: boolean;
  countries: ReadonlySet<string>;
  indicators: ReadonlySet<string>;
  bases: ReadonlySet<string>;
  /** "05" for May, "Q1", "W05-16" for the week that ends on May 16. */
  periods: ReadonlySet<string>;
  years: ReadonlySet<number>;
};

type Phrase = readonly [phrase: string, id: string];
const phrases = (words: readonly { id: string; words: string[] }[], possessive: boolean): Phrase[] =>
  words
    .flatMap((one) =>
      one.words.flatMap((word): Phrase[] =>
        possessive
          ? [
              [`${word}s`, one.id],
              [word, one.id],
            ]
          : [[word, one.id]],
      ),
    )
    .sort((a, b) => b[0].length - a[0].length);
const COUNTRY = phrases(COUNTRIES, true);
const INDICATOR = phrases(INDICATORS, false);
const BASIS = phrases(BASES, false);

/** A cheap first check before every question of an event is parsed. */
const MENTION = new RegExp(`\\b(?:${INDICATORS.flatMap((one) => one.words).join('|')})\\b`, 'i');
export const mayNameIndicator = (text: string): boolean => MENTION.test(text.replace(/-/g, ' '));

const FILLER = new Set(
  'will the a an be is in of for at to and or it how many much what was were does do s number numbers print reading report data release come added add adds lose loses lost gain gains created rise rises rose fall falls fell grow grows grew increase increases increased decrease decreases decreased stay stays remain flat unchanged between more less higher lower above below over under least most than exactly greater fewer equal no percent pct points k thousand brackets bracket advance preliminary prel flash initial estimate first total seasonally adjusted change rate growth week ending ended ends quarter month'.split(
    ' ',
  ),
);
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
const two = (value: number): string => String(value).padStart(2, '0');

function takePhrases(text: string, from: readonly Phrase[]): { ids: Set<string>; rest: string } {
  const ids = new Set<string>();
  let rest = text;
  for (const [phrase, id] of from) {
    if (!rest.includes(` ${phrase} `)) continue;
    ids.add(id);
    rest = rest.replaceAll(` ${phrase} `, '  ');
  }
  return { ids, rest };
}

/**
 * Removes figures together with the "by" before them. "20.26%" without its point would look like a
 * year, and a remaining "by" would look like a deadline.
 */
function withoutFigures(text: string): string {
  return text
    .replace(
      /(?:\bby (?:[≥≤<>] ?|at least |at most |up to |more than |less than )?-?)?(?<!\d)\d[\d,]{0,30}(?:\.\d+)?\s*(?:%|k\b|m\b)/gi,
      ' ',
    )
    .replace(/\d[\d,]{0,30}\.\d+|\d{1,3}(?:,\d{3})+|\d{5,}|\d+pt\d+(?:pct)?/g, ' ');
}

export function parseSubject(words: string): Subject {
  const text = words.slice(0, 4000);
  const spaced = ` ${normalize(withoutFigures(text)).replace(/ /g, '  ')} `.replace(/ {2}/g, ' ');
  const quarter = /\bq([1-4])\b/.exec(spaced)?.[1];
  const countries = takePhrases(spaced.replace(/\bq[1-4]\b/g, ' '), COUNTRY);
  const indicators = takePhrases(countries.rest, INDICATOR);
  const bases = takePhrases(indicators.rest, BASIS);
  const periods = new Set<string>(quarter === undefined ? [] : [`Q${quarter}`]);
  const years = new Set<number>();
  const weekly = / week /.test(spaced);
  let closed = true;
  let month: number | null = null;
  for (const word of bases.rest.split(' ').filter((one) => one !== '')) {
    const day = month !== null ? /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word) : null;
    if (day && weekly) {
      periods.delete(two(month ?? 0));
      periods.add(`W${two(month ?? 0)}-${two(Number(day[1]))}`);
    }
    month = MONTH.test(word) ? parseMonth(word) : null;
    if (month !== null) periods.add(two(month));
    else if (/^20\d\d$/.test(word)) years.add(Number(word));
    else if (!/^-?\d{1,3}(?:st|nd|rd|th)?$/.test(word) && !FILLER.has(word)) closed = false;
  }
  return {
    closed: closed && words.length <= MAX_PLAIN_LENGTH && periods.size <= 1 && years.size <= 1,
    countries: countries.ids,
    indicators: indicators.ids,
    bases: bases.ids,
    periods,
    years,
  };
}

/** Merges what several texts of one listing name. */
export function mergeSubjects(subjects: readonly Subject[]): Omit<Subject, 'closed'> {
  const all = <T>(part: (one: Subject) => ReadonlySet<T>): Set<T> => new Set(subjects.flatMap((one) => [...part(one)]));
  return {
    countries: all((one) => one.countries),
    indicators: all((one) => one.indicators),
    bases: all((one) => one.bases),
    periods: all((one) => one.periods),
    years: all((one) => one.years),
  };
}
