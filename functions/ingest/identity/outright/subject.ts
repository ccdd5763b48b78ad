import { easternDate } from '../text/eastern.ts';
import { isPlaceholder, normalize, slugOf } from '../text/text.ts';
import { parseChart, titleOnly } from './chart.ts';
import { parseElection, partyOf } from './contest.ts';
import type { ContestKind } from './contest_terms.ts';
import { parseMention, wordKey } from './mention.ts';

/** What a list of runners is about, from its titles: the evidence of a candidate. */
export type Subject = {
  kind: ContestKind;
  /** What is asked in canonical terms. Null where no grammar knows the title. */
  contest: string | null;
  /** Whether `contest` and the year state the whole question. Otherwise the words must agree. */
  exact: boolean;
  words: string[];
  /** Numbers of the titles that are no years: "Top 5". */
  numbers: string[];
  years: number[];
  day: string | null;
  /** The key of a runner by its printed name. */
  keyOf: (name: string) => string;
};

type Titles = {
  id: string;
  venue: string;
  titles: (string | null)[];
  year: number | null;
  day: string | null;
  close_at: string | null;
};

const MAX_WORDS = 24;
const AWARD =
  /\b(?:awards?|oscars?|emmys?|grammys?|tonys?|nobel|prizes?|medals?|of the year|sexiest|golden globes?|bafta|eurovision)\b/i;

/** Returns the subject of a list of runners. `title` is the first of its titles. */
export function subjectOf(title: string, listed: Titles): Subject {
  const stated = yearsIn(listed.titles);
  const years = stated.length > 0 ? stated : listed.year === null ? [] : [listed.year];
  const plain = { ...titleWords(listed.titles), years, day: listed.day, keyOf: slugOf };
  const election = parseElection(title);
  if (election !== null) {
    const keyOf = (name: string) => partyOf(name) ?? slugOf(name);
    return {
      ...plain,
      kind: 'election',
      contest: election,
      exact: true,
      years: electionYear(listed, stated),
      day: null,
      keyOf,
    };
  }
  const ends = listed.day ?? lastDay(listed.close_at);
  const mention = parseMention(title, listed.titles[1] ?? null, ends);
  if (mention !== null) {
    const { key: contest, event: words, day } = mention;
    const year = day === null ? [] : [Number(day.slice(0, 4))];
    return {
      kind: 'mention',
      contest,
      exact: words.length === 0,
      words,
      numbers: [],
      years: year,
      day,
      keyOf: wordKey,
    };
  }
  const chart = parseChart(title, ends);
  if (chart !== null) {
    const keyOf = /\|(?:song|album)\|/.test(chart.key) ? (name: string) => slugOf(titleOnly(name)) : slugOf;
    return { ...plain, kind: 'chart', contest: chart.key, exact: true, day: chart.day ?? listed.day, keyOf };
  }
  return { ...plain, kind: AWARD.test(title) ? 'award' : 'list', contest: null, exact: false };
}

/** The New York day of an end. Midnight UTC is a date without a time. */
function lastDay(close_at: string | null): string | null {
  if (close_at === null) return null;
  return close_at.endsWith('T00:00:00.000Z') ? close_at.slice(0, 10) : easternDate(close_at);
}

/**
 * The year of an election, once all parts of a listing agree: its titles, and the ticker of venue_a
 * or the slug of venue_b. Only a listing that states none has the year of its end.
 */
function electionYear({ venue, id, year }: Titles, stated: readonly number[]): number[] {
  const ofSlug = venue === 'venue_b' ? yearsIn([id.replace(/-/g, ' ')]) : [];
  const all = new Set([...stated, ...ofSlug, ...(venue === 'venue_a' && year !== null ? [year] : [])]);
  if (all.size === 0 && year !== null) return [year];
  return all.size === 1 ? [...all] : [];
}

const CATEGORIES: { readonly [name: string]: string } = {
  elections: 'politics',
  politics: 'politics',
  entertainment: 'culture',
  culture: 'culture',
  'pop culture': 'culture',
  mentions: 'mentions',
  'mention markets': 'mentions',
  sports: 'sports',
};
const BY_KIND: { readonly [kind in ContestKind]: string } = {
  election: 'politics',
  mention: 'mentions',
  chart: 'culture',
  award: 'culture',
  list: 'sports',
};

/** The category of a question, by the venue's own name for it, else by what the title asks. */
export function categoryOf(named: readonly (string | null)[], kind: ContestKind): string {
  const names = named.flatMap((one) => (one === null ? [] : [normalize(one)]));
  const known = names.map((one) => CATEGORIES[one]).find((one) => one !== undefined);
  return known ?? BY_KIND[kind];
}

/** Seats that a venue keeps free: "Person AK", "Option H", "Artist 19", a single letter. */
const FREE_SEAT =
  /^(?:(?:person|candidate|option|placeholder|party|nominee|artist|song|album|show|movie|film|book|play|musical|chef|actor|actress|director|company|model|contestant) (?:[a-z]{1,2}|\d{1,3})|[a-z])$/;

export const isFreeSeat = (name: string): boolean => isPlaceholder(name) || FREE_SEAT.test(normalize(name));

/** Words of a title that do not distinguish two questions. */
const FILLER = new Set(
  'the a an of in on for to and at by will who which what win wins winner winning won be is are this season year next'.split(
    ' ',
  ),
);

/** "2026-27": a season of two years holds no other number. */
const SEASON = /\b20\d\d ?[-\u2013/] ?\d\d\b/g;

/** The plural of what a list may rank: "new albums" is "a new album". */
const PLURAL = /(?<=^(?:album|song|movie|show|artist|award))s$/;

function titleWords(titles: readonly (string | null)[]): { words: string[]; numbers: string[] } {
  const words = normalize(
    titles
      .map((one) => one ?? '')
      .join(' ')
      .slice(0, 600)
      .replace(SEASON, ' '),
  ).split(' ');
  const distinct = [...new Set(words.map((word) => word.replace(PLURAL, '')))].filter(
    (word) => word !== '' && !FILLER.has(word),
  );
  return {
    words: distinct.filter((word) => !/\d/.test(word)).slice(0, MAX_WORDS),
    numbers: distinct
      .filter((word) => /\d/.test(word) && !/^20\d\d$/.test(word))
      .slice(0, MAX_WORDS)
      .sort(),
  };
}

/** Every year that a title states; both of a season that spans two ("2026-27"). */
function yearsIn(titles: readonly (string | null)[]): number[] {
  const plain = titles.join(' ').slice(0, 600);
  const years = [...plain.matchAll(/\b(20\d{2})(?:[/–-](\d{2}|20\d{2})\b)?/g)].flatMap(([, first, second]) => [
    Number(first),
    ...(second === undefined ? [] : [Number(second.length === 2 ? `20${second}` : second)]),
  ]);
  return [...new Set(years)].sort();
}
