import type { VenueCode } from '../../listing.ts';
import { intersection } from '../text/sets.ts';
import { hasPhrase, normalize } from '../text/text.ts';
import { playerKey } from './person.ts';
import { isKnownInOtherPool, type League, type TeamId, teamOf, teamsByCode, teamsByName } from './registry.ts';

/**
 * Resolves the team of a listing from its label, its code and its title. Each of them gives the set
 * of teams that it may mean, and the result is in all of these sets. A code never overrides a name
 * that the registry does not hold.
 */

export type Resolved =
  | { team: TeamId; by: 'label+code' | 'label' | 'code' | 'title+code' | 'elimination' | 'as_printed' }
  | { problem: 'unknown_alias' | 'ambiguous_alias' | 'contradictory'; detail: string };

export function resolveTeam(league: League, venue: VenueCode, label: string | null, code: string | null): Resolved {
  const byLabel = label === null ? null : teamsByName(league, label);
  const byCode = code === null ? new Set<TeamId>() : teamsByCode(league, venue, code);
  const detail = `label "${label ?? ''}", code "${code ?? ''}" in ${league.id}`;
  if (league.open !== undefined && byLabel?.size === 1) {
    // In an open league the full name identifies the participant, and the code adds nothing.
    const [team = ''] = byLabel;
    return { team, by: isRegistered(team) ? 'label' : 'as_printed' };
  }
  if (league.open === 'full_name')
    return { problem: 'ambiguous_alias', detail: `${detail}: two persons share a family name` };
  if (byLabel !== null && byLabel.size === 0) {
    const elsewhere = label !== null && byCode.size > 0 && isKnownInOtherPool(league, label);
    return { problem: elsewhere ? 'contradictory' : 'unknown_alias', detail: detail };
  }
  if (byLabel === null && byCode.size === 0) return { problem: 'unknown_alias', detail: detail };
  const both = byLabel === null ? byCode : byCode.size === 0 ? byLabel : intersection(byLabel, byCode);
  const [team, ...rest] = [...both];
  if (team === undefined) {
    // Codes in venue_b slugs are abbreviations of the venue and sometimes wrong, while its labels
    // are what a trader reads. venue_a reuses a code for another team when a word of the label
    // begins with it.
    const own = venue === 'venue_b' || startsWord(code ?? '', label ?? '');
    if (own && byLabel?.size === 1) return { team: [...byLabel][0] as TeamId, by: 'label' };
    return { problem: 'contradictory', detail: detail };
  }
  if (rest.length > 0) return { problem: 'ambiguous_alias', detail: detail };
  return { team, by: byLabel === null ? 'code' : byCode.size === 0 ? 'label' : 'label+code' };
}

export type TitleSides = {
  first: string;
  second: string;
  word: 'at' | 'vs';
  /** The text before the two names ("Counter-Strike", "UFC 328", "Game 2"). */
  lead: string | null;
  /** The text after them ("More Markets", "Total Runs", "(BO3) - LEC Regular Season"). */
  tail: string | null;
};

/**
 * Returns the two names of a title in its order, or null: "Game 2: Cleveland at Detroit", "LoL: T1
 * vs Gen.G (BO5) - LCK".
 */
export function parseTitleSides(title: string | null): TitleSides | null {
  if (title === null) return null;
  const segments = title.split(/:\s+/);
  // "T20 Series South Africa vs. India, Women: South Africa vs India": the last segment is the
  // game.
  const at = segments.findLastIndex((segment) => VERSUS.test(segment));
  const segment = segments[at];
  if (segment === undefined) return null;
  const pieces = segment.split(/\s[-–—]\s+/);
  const here = pieces.findIndex((piece) => VERSUS.test(piece));
  const format = FORMAT.exec(pieces[here] ?? '');
  const match = VERSUS.exec((pieces[here] ?? '').replace(FORMAT, '').replace(/\?$/, '').trim());
  if (!match) return null;
  const tail = [format?.[0].trim(), ...pieces.slice(here + 1), ...segments.slice(at + 1)].filter((one) => one);
  const lead = [...segments.slice(0, at), ...pieces.slice(0, here)];
  return {
    first: (match[1] ?? '').trim(),
    second: (match[3] ?? '').replace(OF_THE_GAME, '').trim(),
    word: /^(?:at|@)$/i.test(match[2] ?? '') ? 'at' : 'vs',
    lead: lead.length === 0 ? null : lead.join(' - '),
    tail: tail.length === 0 ? null : tail.join(' - '),
  };
}

/** A single V before the word between the names belongs to a name ("Tokyo V vs Nagoya"). */
const VERSUS = /^(.+?)\s+(vs\.?|v\.?(?!\s+(?:vs\.?|at|@)\s)|at|@)\s+(.+)$/i;
/** "(BO3)", "(Lightweight, Main Card)": the format of a contest, no part of a name. */
const FORMAT = /\s*\((?:bo ?\d|best of \d|[^()]*(?:card|weight|prelim|round|final|stage|group)[^()]*)\)\s*$/i;
/** Words at the end that are no part of a name: "ninjas in pyjamas map 2", "Milwaukee Winner". */
const OF_THE_GAME = /\s+(?:(?:map|set|game) \d+(?: winner)?|winner|game)$/i;

const isRegistered = (team: TeamId): boolean => teamOf(team) !== null;

/** Returns the only one of these teams that a name means, or null. */
export function findParticipant(league: League, name: string, teams: readonly TeamId[]): TeamId | null {
  const may = [...teamsByName(league, name)].filter((team) => teams.includes(team));
  return may.length === 1 ? (may[0] ?? null) : null;
}

const DRAW = new Set(['tie', 'draw', 'the draw']);
/** "Tie", "Draw", "Draw (A vs. B)". */
export function isDraw(label: string): boolean {
  return DRAW.has(normalize(label)) || /^draw \(/i.test(label.trim());
}

/**
 * Returns the league with `open` set to `full_name` when two players share a family name, so that
 * their full names separate them.
 */
export function distinguishNamesakes(league: League, names: readonly (string | null)[]): League {
  const [a, b] = names.map((name) => (name === null ? null : playerKey(name)));
  return league.open === 'person' && a != null && a === b ? { ...league, open: 'full_name' } : league;
}

/**
 * Whether a word of the name begins with the code: "RIV" for "Independiente Rivadavia", although
 * RIV is usually another club.
 */
export function startsWord(code: string, name: string): boolean {
  const letters = normalize(code);
  return (
    letters.length > 2 &&
    normalize(name)
      .split(' ')
      .some((word) => word.startsWith(letters))
  );
}

/**
 * Whether a code can abbreviate a name: its letters occur in order, from the start of one of the
 * words. "MKOI" is "Movistar KOI".
 */
export function abbreviates(code: string, name: string): boolean {
  if (name.length > 80) return false;
  const all = normalize(name).split(' ');
  const letters = normalize(code).replace(/ /g, '');
  return all.some((_, from) => {
    let at = 0;
    for (const letter of all.slice(from).join('')) {
      if (at === 0 && letter !== letters[0]) return false;
      if (letter === letters[at]) at += 1;
    }
    return letters !== '' && at === letters.length;
  });
}

/**
 * Returns the name in the title that the code of a side without a label means: the only one that
 * the code can abbreviate, at the position of the code in the ticker. Null when either does not
 * fit.
 */
export function nameOfCode(names: TitleSides | null, codes: string, code: string | null): string | null {
  if (names === null || code === null) return null;
  // Names of two letters are padded: "LUX" is Lu. The code of a fighter is an initial and three
  // letters: "TFUR" is Tyson Fury.
  const fits = [names.first, names.second].filter(
    (name) =>
      abbreviates(code, name) ||
      (code.length === 3 && abbreviates(code.replace(/X$/, ''), name)) ||
      (code.length === 4 && startsWord(code.slice(1), name)),
  );
  const [only] = fits;
  if (only === undefined || fits.length > 1) return null;
  return (only === names.first ? codes.startsWith(code) : codes.endsWith(code)) ? only : null;
}

/**
 * Returns the name under which the title lists a labelled person, if it is another word of the
 * label than the last: "Imanol Rodriguez Pillado" fights as Rodriguez. Null when a name of the
 * title already fits, or when both or neither match.
 */
export function nameInTitle(names: TitleSides | null, label: string): string | null {
  const both = names === null ? [] : [names.first, names.second];
  const key = playerKey(label);
  if (key === null || both.some((name) => playerKey(name) === key)) return null;
  const [only, ...more] = both.filter((name) => hasPhrase(normalize(label), normalize(name)));
  return only !== undefined && more.length === 0 ? only : null;
}

/** Splits two joined codes ("HOUSD") in every way that gives two codes of the league. */
export function splitCodes(
  league: League,
  venue: VenueCode,
  codes: string,
): [first: Set<TeamId>, second: Set<TeamId>][] {
  const cuts: [Set<TeamId>, Set<TeamId>][] = [];
  for (let at = 2; at <= codes.length - 2; at += 1) {
    const first = teamsByCode(league, venue, codes.slice(0, at));
    const second = teamsByCode(league, venue, codes.slice(at));
    if (first.size > 0 && second.size > 0) cuts.push([first, second]);
  }
  return cuts;
}
