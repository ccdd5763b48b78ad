import { isoDate, parseDate, parseMonth } from '../text/eastern.ts';
import { normalize } from '../text/text.ts';

/**
 * What a title about words asks: the speaker, and in which week, in which month or during which
 * event. The words themselves are the outcomes.
 */

export type Mention = {
  /** Such as `mention|donald trump|say||week|2026-05-17`. */
  key: string;
  /** The words of the event. Empty for a week or a month. */
  event: string[];
  /** The last day on which a word counts, YYYY-MM-DD. */
  day: string | null;
};

/** Speakers by the short names that titles use. Any other name must be equal on both venues. */
const SPEAKERS: { readonly [short: string]: string } = {
  trump: 'donald trump',
  vance: 'jd vance',
  biden: 'joe biden',
  harris: 'kamala harris',
  powell: 'jerome powell',
  leavitt: 'karoline leavitt',
  mamdani: 'zohran mamdani',
  musk: 'elon musk',
  newsom: 'gavin newsom',
};

const TITLE = /^what (?:([a-z]+) )?will (?:president )?(.{2,60}?) (say|post|tweet|mention)(?: (.*))?$/;
/** Words of an event's name that do not distinguish it. "the White House" holds the briefings. */
const FILLER = new Set('during at in on for with his her their its the a an of and from to white house'.split(' '));

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

const lastDayOfMonth = (year: number, month: number): string | null => {
  const next = isoDate(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1);
  return next === null ? null : dayBefore(next);
};

/**
 * Parses a title about words.
 * @param until text of the listing that names its limit, such as "Before May 18, 2026"
 * @param day day in the ticker, or the day on which the listing ends
 */
export function parseMention(title: string, until: string | null, day: string | null): Mention | null {
  const [, kind = '', name = '', verb = '', tail = ''] = TITLE.exec(normalize(title)) ?? [];
  if (name === '') return null;
  const key = ['mention', SPEAKERS[name] ?? name, verb, kind].join('|');
  const limit = until === null || !/^before /i.test(until) ? null : parseDate(until, day);
  const last = limit === null ? day : dayBefore(limit);
  const stated = parseDate(tail, last);
  if (/^(?:this week|week of)\b/.test(tail)) {
    const ends = stated ?? last;
    return ends === null ? null : { key: `${key}|week|${ends}`, event: [], day: ends };
  }
  const month = /^(?:this month|in ([a-z]+)(?: 20\d\d)?)$/.exec(tail);
  const named = month?.[1] === undefined ? null : parseMonth(month[1]);
  if (month !== null && (month[1] === undefined || named !== null)) {
    if (last === null) return null;
    const ends = lastDayOfMonth(Number(last.slice(0, 4)), named ?? Number(last.slice(5, 7)));
    // "This month" of a listing that ends within a month is not the whole month.
    return ends === null || (named === null && ends !== last)
      ? null
      : { key: `${key}|month|${ends}`, event: [], day: ends };
  }
  const event = tail.split(' ').filter((word) => word !== '' && !FILLER.has(word) && !/^20\d\d$/.test(word));
  return event.length === 0 || last === null ? null : { key: `${key}|event`, event, day: last };
}

/** The key of a word that counts. "Gas / Oil" is "Oil / Gas". */
export const wordKey = (label: string): string =>
  label
    .split(/ ?\/ ?/)
    .map(normalize)
    .filter((one) => one !== '')
    .sort()
    .join('_')
    .replace(/ /g, '-');
