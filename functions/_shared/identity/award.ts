import { AWARDS, type Award, COMPETITIONS, type League } from './registry.ts';
import { hasPhrase, normal } from './text.ts';

/**
 * Reading the title of a season-long question. The grammar is closed: once the award, the competition, years and the few words
 * below are taken out, nothing may be left. "NBA Playoffs: Team to advance to NBA Finals" leaves words and is no championship.
 */
const FILLER = new Set(
  'the of a an and to by in for who will win wins winner winners champion champions finish finisher finishers award league season regular pro team at end'.split(
    ' ',
  ),
);
const YEARS = /\b(20\d{2})(?:[\s/-]+(20\d{2}|\d{2}))?\b/g;

const yearless = (text: string): string =>
  text
    .replace(/[–—]/g, '-')
    .replace(/\b(20\d{2})(\d{2})\b/g, '$1-$2')
    .replace(YEARS, ' ');

/** Takes a phrase's words out once each. */
function without(text: string, phrase: string): string {
  return ` ${text} `.replace(` ${phrase} `, ' ').trim();
}

function leavesNothing(text: string, award: Award, phrase: string, league: League): boolean {
  const words = [...league.words, league.id.replace(/-/g, ' '), ...league.venue_a.names]
    .map(normal)
    .sort((a, b) => b.length - a.length);
  const attempt = (order: readonly string[]): boolean => {
    let rest = text;
    for (const one of order) rest = without(rest, one);
    for (const alias of award.phrases) rest = without(rest, alias);
    for (const one of words) rest = without(rest, one);
    return rest.split(' ').every((word) => word === '' || FILLER.has(word) || /^\d+$/.test(word));
  };
  return attempt([phrase]);
}

/** The award that a title asks for, by its longest phrase, in the league it names (or that the award's own name implies). */
export function awardOfTitle(title: string): Award | null {
  const text = normal(yearless(title));
  let best: { award: Award; length: number } | null = null;
  for (const award of AWARDS) {
    const league = COMPETITIONS.get(award.competition);
    if (!league) continue;
    if (award.not_phrases?.some((phrase) => hasPhrase(text, phrase) || text.includes(` ${phrase}`))) continue;
    const named = league.words.some((word) => hasPhrase(text, normal(word)));
    for (const phrase of award.phrases.map(normal)) {
      if (!hasPhrase(text, phrase)) continue;
      if (!named && !award.alone?.map(normal).includes(phrase)) continue;
      // The longest name of award and league together wins: "womens pro basketball" over "pro basketball".
      const league_name = Math.max(
        0,
        ...league.words
          .map(normal)
          .filter((word) => hasPhrase(text, word))
          .map((word) => word.length),
      );
      const length = phrase.length * 100 + league_name;
      if (best !== null && length <= best.length) continue;
      if (leavesNothing(text, award, phrase, league)) best = { award, length };
    }
  }
  return best?.award ?? null;
}

/** Does a title that belongs to a known series speak of its award at all? "Series Winner: …" does not. */
export function speaksOf(award: Award, title: string): boolean {
  const text = normal(yearless(title));
  return award.phrases.some((phrase) => hasPhrase(text, normal(phrase)));
}

/**
 * The year in which it is decided, from a text: the later of two ("2025-26"), or the one, which for some awards names the year
 * in which the season starts.
 */
export function decidedYear(text: string, award: Award): number | null {
  const league = COMPETITIONS.get(award.competition);
  for (const match of text
    .replace(/[–—]/g, '-')
    .replace(/\b(20\d{2})(\d{2})\b/g, '$1-$2')
    .matchAll(YEARS)) {
    const first = Number(match[1]);
    if (match[2] !== undefined) {
      const second = Number(match[2].length === 2 ? `20${match[2]}` : match[2]);
      if (second === first + 1) return second;
    }
    return award.year === 'season_start' && league?.season === 'crossing' ? first + 1 : first;
  }
  return null;
}

/** The year in which the season that is on at `now` is decided: an inference, and marked as one. */
export function currentSeason(award: Award, now: string): number | null {
  const at = new Date(now);
  if (Number.isNaN(at.getTime())) return null;
  const crossing = COMPETITIONS.get(award.competition)?.season === 'crossing';
  return at.getUTCFullYear() + (crossing && at.getUTCMonth() >= 7 ? 1 : 0);
}
