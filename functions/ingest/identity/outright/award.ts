import { hasPhrase, normalize } from '../text/text.ts';
import {
  AWARDS_BY_UNIQUE_WORDING,
  type Award,
  CONTESTS_BY_WORD,
  type Contest,
  contestsOfStem,
} from './outright_awards.ts';
import { withoutFiller } from './outright_words.ts';

/**
 * Reading what a season-long question asks. The grammar is closed: the contest's names, years and the filler words are taken out,
 * and what is left must be a wording of exactly one of its awards, word for word. "NBA Playoffs: Team to advance to NBA Finals"
 * leaves "playoffs advance finals", which is no wording of anything.
 */
const YEARS = /\b(20\d{2})(?:[\s/-]+(20\d{2}|\d{2})\b(?!-\d))?/g;
const WON = /\b(?:win|wins|won|winner|winners|winning|champions?|championships?|titles?|crowned)\b/;
/** "Team to …", "Which club will …": whom it asks for is said by the award. */
const SUBJECT_WORDS =
  /\b(?:(?:which|what) )?(?:team|club|player|driver|nation|country|golfer|coach|manager)s? (?:to|will)\b/g;

const normalizeDashes = (text: string): string =>
  text
    .replace(/[–—−]/g, '-')
    .replace(/\bsuper bowl [lxvi]+\b/gi, 'Super Bowl')
    .replace(/\b(20\d{2})(\d{2})\b/g, '$1-$2');

/** Lower case words without years and without the day for which it is set. */
export function normalizeAwardText(text: string): string {
  return normalize(
    normalizeDashes(text)
      .replace(/,? (?:originally |currently )?(?:scheduled (?:for|to)|which takes place|taking place)\b.*$/i, ' ')
      .replace(YEARS, ' '),
  )
    .replace(SUBJECT_WORDS, ' ')
    .trim();
}

/** Takes a phrase out wherever it stands. */
function withoutPhrase(text: string, phrase: string): string {
  let rest = ` ${text} `;
  while (rest.includes(` ${phrase} `)) rest = rest.replace(` ${phrase} `, ' ');
  return rest.trim();
}

/** The award whose wording is all that is left of a text once the contest's names are out. */
function parseRemainingAward(text: string, contest: Contest, mayBeBare = true): Award | null {
  let rest = text;
  for (const word of contest.strip) rest = withoutPhrase(rest, word);
  const core = withoutFiller(rest);
  if (core === '' && (!mayBeBare || !WON.test(rest))) return null;
  // A season's leader is its regular season's; "regular season" alone is a title of its own.
  const plain = withoutPhrase(core, 'regular');
  return contest.wordings.get(core) ?? (plain === '' ? null : (contest.wordings.get(plain) ?? null));
}

function contestsOfName(name: string): Contest[] {
  const word = normalize(name);
  return (CONTESTS_BY_WORD.get(word.split(' ')[0] ?? '') ?? [])
    .filter((one) => one.word === word && !one.bare)
    .map((one) => one.contest);
}

export type Hints = {
  /** venue_a's series: its stem names contests, so that a title need not. */
  series?: string;
  /** What names a contest beside the text: venue_b's prefix of a dated slug ("cfb"), venue_a's field `competition`. */
  name?: string;
};

/** Contests that a text names, by the longest name first. */
function contestsNamedIn(text: string, hinted: readonly Contest[]): { contest: Contest; length: number }[] {
  const found = new Map<Contest, number>();
  for (const token of new Set(text.split(' '))) {
    for (const { word, contest, bare } of CONTESTS_BY_WORD.get(token) ?? []) {
      if ((bare && !hinted.includes(contest)) || !hasPhrase(text, word)) continue;
      found.set(contest, Math.max(found.get(contest) ?? 0, word.length));
    }
  }
  return [...found].map(([contest, length]) => ({ contest, length })).sort((a, b) => b.length - a.length);
}

/**
 * The award that a text asks for: in the contest that the series or the slug names, else in the one that the text names by the
 * longest name, else by a wording that belongs to one contest only ("Stanley Cup Champion"). Two contests of equally long names
 * leave it open.
 */
export function parseAward(text: string | null, hints: Hints = {}): Award | null {
  if (text === null) return null;
  const normalized = normalizeAwardText(text);
  const bySeries = hints.series === undefined ? [] : contestsOfStem(hints.series);
  const hinted = bySeries.length > 0 || hints.name === undefined ? bySeries : contestsOfName(hints.name);
  const names = contestsNamedIn(normalized, hinted);
  const isNamed = new Set(names.map((one) => one.contest));
  for (const contest of hinted) {
    // A stem of many tournaments names none of them.
    if (hinted.length > 1 && !isNamed.has(contest)) continue;
    // "Winner?" alone is the championship only where the contest is named, or under the series that is the contest's own.
    const award = parseRemainingAward(
      normalized,
      contest,
      isNamed.has(contest) || contest.stems.includes(hints.series ?? ''),
    );
    if (award !== null) return award;
  }
  const found = names
    .map(({ contest, length }) => ({ award: parseRemainingAward(normalized, contest), length }))
    .filter((one): one is { award: Award; length: number } => one.award !== null);
  const [first, second] = found;
  if (first !== undefined) return second?.length === first.length ? null : first.award;
  return AWARDS_BY_UNIQUE_WORDING.get(withoutFiller(normalized)) ?? null;
}

/** The year in which the season that is on at `now` is decided: an inference, and marked as one. */
export function currentSeason(award: Award, now: string): number | null {
  const at = new Date(now);
  if (Number.isNaN(at.getTime())) return null;
  return at.getUTCFullYear() + (award.season === 'crossing' && at.getUTCMonth() >= 7 ? 1 : 0);
}
