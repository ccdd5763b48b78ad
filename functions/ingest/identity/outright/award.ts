import { hasPhrase, normalize } from '../text/text.ts';
import { type Award, awardOfUniqueWording, type Contest, contestsOfStem, contestsOfWord } from './outright_awards.ts';
import { withoutFiller } from './outright_words.ts';

/**
 * Parses the award that a season-long question asks for. The grammar is closed. The names of the
 * contest, years and filler words are removed, and the remaining words must equal a wording of
 * exactly one of its awards. "NBA Playoffs: Team to advance to NBA Finals" leaves "playoffs advance
 * finals", which is no wording of any award.
 */
const YEARS = /\b(20\d{2})(?:[\s/-]+(20\d{2}|\d{2})\b(?!-\d))?/g;
const WON = /\b(?:win|wins|won|winner|winners|winning|champions?|championships?|titles?|crowned)\b/;
/** "Team to …", "Which club will …": the award already states who can win it. */
const SUBJECT_WORDS =
  /\b(?:(?:which|what) )?(?:team|club|player|driver|nation|country|golfer|coach|manager)s? (?:to|will)\b/g;

const normalizeDashes = (text: string): string =>
  text
    .replace(/[–—−]/g, '-')
    .replace(/\bsuper bowl [lxvi]+\b/gi, 'Super Bowl')
    .replace(/\b(20\d{2})(\d{2})\b/g, '$1-$2');

/** Returns lower-case words without years and without the scheduled day. */
export function normalizeAwardText(text: string): string {
  return normalize(
    normalizeDashes(text)
      .replace(/,? (?:originally |currently )?(?:scheduled (?:for|to)|which takes place|taking place)\b.*$/i, ' ')
      .replace(YEARS, ' '),
  )
    .replace(SUBJECT_WORDS, ' ')
    .trim();
}

/** Removes every occurrence of a phrase. */
function withoutPhrase(text: string, phrase: string): string {
  let rest = ` ${text} `;
  while (rest.includes(` ${phrase} `)) rest = rest.replace(` ${phrase} `, ' ');
  return rest.trim();
}

/**
 * Returns the award whose wording equals the words that remain after the names of the contest are
 * removed.
 */
function parseRemainingAward(text: string, contest: Contest, mayBeBare = true): Award | null {
  let rest = text;
  for (const word of contest.strip) rest = withoutPhrase(rest, word);
  const core = withoutFiller(rest);
  if (core === '' && (!mayBeBare || !WON.test(rest))) return null;
  // A leader of the season is a leader of the regular season. "Regular season" alone is a title of
  // its own.
  const plain = withoutPhrase(core, 'regular');
  return contest.wordings.get(core) ?? (plain === '' ? null : (contest.wordings.get(plain) ?? null));
}

function contestsOfName(name: string): Contest[] {
  const word = normalize(name);
  return contestsOfWord(word.split(' ')[0] ?? '')
    .filter((one) => one.word === word && !one.bare)
    .map((one) => one.contest);
}

export type Hints = {
  /** Series of venue_a. Its stem names contests, so the title need not. */
  series?: string;
  /**
   * The name of a contest outside the text: the prefix of a dated venue_b slug ("cfb"), or the
   * field `competition` of venue_a.
   */
  name?: string;
};

/** Returns the contests that a text names, the longest name first. */
function contestsNamedIn(text: string, hinted: readonly Contest[]): { contest: Contest; length: number }[] {
  const found = new Map<Contest, number>();
  for (const token of new Set(text.split(' '))) {
    for (const { word, contest, bare } of contestsOfWord(token)) {
      if ((bare && !hinted.includes(contest)) || !hasPhrase(text, word)) continue;
      found.set(contest, Math.max(found.get(contest) ?? 0, word.length));
    }
  }
  return [...found].map(([contest, length]) => ({ contest, length })).sort((a, b) => b.length - a.length);
}

/**
 * Parses the award of a text: in the contest that the series or the slug names, else in the one
 * with the longest name in the text, else by a wording that only one contest has ("Stanley Cup
 * Champion"). Null when two contests have names of equal length.
 */
export function parseAward(text: string | null, hints: Hints = {}): Award | null {
  if (text === null) return null;
  const normalized = normalizeAwardText(text);
  const bySeries = hints.series === undefined ? [] : contestsOfStem(hints.series);
  const hinted = bySeries.length > 0 || hints.name === undefined ? bySeries : contestsOfName(hints.name);
  const names = contestsNamedIn(normalized, hinted);
  const isNamed = new Set(names.map((one) => one.contest));
  for (const contest of hinted) {
    // A stem shared by many tournaments selects none of them.
    if (hinted.length > 1 && !isNamed.has(contest)) continue;
    // "Winner?" alone is the championship only when the text names the contest, or under the
    // contest's own series.
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
  return awardOfUniqueWording(withoutFiller(normalized));
}

/**
 * Returns the year in which the current season is decided. It is an inference and is marked as one.
 */
export function currentSeason(award: Award, now: string): number | null {
  const at = new Date(now);
  if (Number.isNaN(at.getTime())) return null;
  return at.getUTCFullYear() + (award.season === 'crossing' && at.getUTCMonth() >= 7 ? 1 : 0);
}
