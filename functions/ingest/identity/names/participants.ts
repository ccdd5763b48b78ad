import type { VenueCode } from '../../listing.ts';
import { intersection } from '../text/sets.ts';
import { hasPhrase, normalize } from '../text/text.ts';
import { playerKey } from './person.ts';
import { isKnownInOtherPool, type League, type TeamId, teamOf, teamsByCode, teamsByName } from './registry.ts';

/**
 * Which team a listing means, from everything that it says about it. Every reading is the set of teams it may mean; the answer
 * is what all of them allow. A name that the registry does not know never gives way to a code that it does.
 */

export type Resolved =
  | { team: TeamId; by: 'label+code' | 'label' | 'code' | 'title+code' | 'elimination' | 'as_printed' }
  | { problem: 'unknown_alias' | 'ambiguous_alias' | 'contradictory'; detail: string };

export function resolveTeam(league: League, venue: VenueCode, label: string | null, code: string | null): Resolved {
  const byLabel = label === null ? null : teamsByName(league, label);
  const byCode = code === null ? new Set<TeamId>() : teamsByCode(league, venue, code);
  const detail = `label "${label ?? ''}", code "${code ?? ''}" in ${league.id}`;
  if (league.open !== undefined && byLabel?.size === 1) {
    // Where anyone may take part a code says nothing that the whole name does not say better.
    const [team = ''] = byLabel;
    return { team, by: isRegistered(team) ? 'label' : 'as_printed' };
  }
  if (league.open === 'full_name') return { problem: 'ambiguous_alias', detail: `${detail}: two of one family name` };
  if (byLabel !== null && byLabel.size === 0) {
    const elsewhere = label !== null && byCode.size > 0 && isKnownInOtherPool(league, label);
    return { problem: elsewhere ? 'contradictory' : 'unknown_alias', detail: detail };
  }
  if (byLabel === null && byCode.size === 0) return { problem: 'unknown_alias', detail: detail };
  const both = byLabel === null ? byCode : byCode.size === 0 ? byLabel : intersection(byLabel, byCode);
  const [team, ...rest] = [...both];
  if (team === undefined) {
    // Codes of venue_b's slugs are its own shorthand and sometimes wrong; its labels are what a trader reads.
    // Those of venue_a are used anew where a label's own word begins with them.
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
  /** What stands before the two names ("Counter-Strike", "UFC 328", "Game 2"). */
  lead: string | null;
  /** What stands after them ("More Markets", "Total Runs", "(BO3) - LEC Regular Season"). */
  tail: string | null;
};

/** "Game 2: Cleveland at Detroit", "LoL: T1 vs Gen.G (BO5) - LCK": the two names in the order of the title, or null. */
export function parseTitleSides(title: string | null): TitleSides | null {
  if (title === null) return null;
  const segments = title.split(/:\s+/);
  // "T20 Series South Africa vs. India, Women: South Africa vs India": the last one is the game.
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

/** A lone V before the word between the names is part of one ("Tokyo V vs Nagoya"). */
const VERSUS = /^(.+?)\s+(vs\.?|v\.?(?!\s+(?:vs\.?|at|@)\s)|at|@)\s+(.+)$/i;
/** "(BO3)", "(Lightweight, Main Card)": how a contest is held, no part of a name. */
const FORMAT = /\s*\((?:bo ?\d|best of \d|[^()]*(?:card|weight|prelim|round|final|stage|group)[^()]*)\)\s*$/i;
/** "ninjas in pyjamas map 2", "Milwaukee Winner". */
const OF_THE_GAME = /\s+(?:(?:map|set|game) \d+(?: winner)?|winner|game)$/i;

const isRegistered = (team: TeamId): boolean => teamOf(team) !== null;

/** The one of two teams that a name means, or null. */
export function findParticipant(league: League, name: string, teams: readonly TeamId[]): TeamId | null {
  const may = [...teamsByName(league, name)].filter((team) => teams.includes(team));
  return may.length === 1 ? (may[0] ?? null) : null;
}

const DRAW = new Set(['tie', 'draw', 'the draw']);
/** "Tie", "Draw", "Draw (A vs. B)". */
export function isDraw(label: string): boolean {
  return DRAW.has(normalize(label)) || /^draw \(/i.test(label.trim());
}

/** A league whose two players of one family name can only be told apart by their whole names. */
export function distinguishNamesakes(league: League, names: readonly (string | null)[]): League {
  const [a, b] = names.map((name) => (name === null ? null : playerKey(name)));
  return league.open === 'person' && a != null && a === b ? { ...league, open: 'full_name' } : league;
}

/** Does one of a name's words begin with the code? "RIV" for "Independiente Rivadavia", though RIV is another club as a rule. */
export function startsWord(code: string, name: string): boolean {
  const letters = normalize(code);
  return (
    letters.length > 2 &&
    normalize(name)
      .split(' ')
      .some((word) => word.startsWith(letters))
  );
}

/** Can a code be short for a name: its letters, in order, from the start of one of the name's words? "MKOI" for "Movistar KOI". */
function abbreviates(code: string, name: string): boolean {
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
 * The name of the title that a side without a label means by its code: the only one that the code can be short for, and standing
 * where the code stands in the ticker. Null where either says otherwise.
 */
export function nameOfCode(names: TitleSides | null, codes: string, code: string | null): string | null {
  if (names === null || code === null) return null;
  // Names of two letters are filled up: "LUX" is Lu.
  // A fighter's code is an initial and three letters: "TFUR" is Tyson Fury.
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
 * The name by which the title calls a labelled person, where that is another of the label's own words than the last: "Imanol Rodriguez
 * Pillado" fights as Rodriguez. Null where the title's names fit as they are, fit both, or neither.
 */
export function nameInTitle(names: TitleSides | null, label: string): string | null {
  const both = names === null ? [] : [names.first, names.second];
  const key = playerKey(label);
  if (key === null || both.some((name) => playerKey(name) === key)) return null;
  const [only, ...more] = both.filter((name) => hasPhrase(normalize(label), normalize(name)));
  return only !== undefined && more.length === 0 ? only : null;
}

/** Two codes run together ("HOUSD") cut in every way that gives two codes of the league. */
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
