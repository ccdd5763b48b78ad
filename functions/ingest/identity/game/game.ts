import type { Json, VenueCode } from '../../listing.ts';
import { findParticipant } from '../names/participants.ts';
import { hasGivenName, playerKeys } from '../names/person.ts';
import { AS_PRINTED, type League, type TeamId, teamOf, teamsByCode } from '../names/registry.ts';
import type { Exclusion } from '../question.ts';
import { intersection } from '../text/sets.ts';
import { normalize, slugOf } from '../text/text.ts';

/** Which game a listing is about, whatever it asks of it: its winner, a total, a spread. Both venues' readers give this shape. */
export type ParsedGame = {
  venue: VenueCode;
  event: string;
  league: League;
  stage: Stage;
  /** In the order of the listing. */
  teams: readonly [first: TeamId, second: TeamId];
  /** Where the listing says it outright; else the league's order decides. */
  home: TeamId | null;
  /** New York's date as the listing names it. */
  on_date: string;
  game_no: number | null;
  /** What venue_a's ticker calls the occasion ("26AUG092020"): it stays when the game is moved. Null on venue_b. */
  occasion: string | null;
  start_at: string | null;
  start_source: string | null;
  close_at: string | null;
  url: string | null;
  title: string | null;
  /** venue_b's side events of a game ("more-markets", "game2"); null for a game's own event. */
  sibling: string | null;
  rules: string | null;
  terms: { [key: string]: Json };
  /** Evidence beside the key parts. */
  evidence: { [key: string]: Json };
  /** Names as the listing prints them, for participants that the registry does not hold. */
  printed: ReadonlyMap<TeamId, string>;
  /** Further keys under which the other venue may list the same match, where a person bears two family names. */
  also: readonly string[];
};

export type Stage = 'preseason' | 'season';

/** A listing of a known league whose game could not be made out, with what it said. */
export type UnparsedGame = {
  league: League;
  problem: Exclusion;
  detail: string;
  facts: GameFacts;
};

/** What can be told of a game even where its teams are not known. */
export type GameFacts = {
  title: string | null;
  on_date: string | null;
  start_at: string | null;
  close_at: string | null;
  url: string | null;
};

export const isUnparsed = (game: ParsedGame | UnparsedGame): game is UnparsedGame => 'problem' in game;

/** The name that a trader reads; null for nobody. */
export function nameIn(game: Pick<ParsedGame, 'printed'>, team: TeamId): string;
export function nameIn(game: Pick<ParsedGame, 'printed'>, team: TeamId | null): string | null;
export function nameIn(game: Pick<ParsedGame, 'printed'>, team: TeamId | null): string | null {
  return team === null ? null : (teamOf(team)?.name ?? game.printed.get(team) ?? bareId(team));
}

/** The one of a game's two teams that a printed name or a venue's code means; null where it may be either, or neither. */
export function teamIn(game: ParsedGame, name: string | null, code: string | null): TeamId | null {
  const named = name === null ? null : findParticipant(game.league, name, game.teams);
  if (named !== null || code === null) return named;
  const may = [...intersection(teamsByCode(game.league, game.venue, code), new Set(game.teams))];
  return may.length === 1 ? (may[0] ?? null) : null;
}

/** `{home, away, first, second}`: who plays at home (null where nobody does), and the league's own order of the two. */
export function sidesOf(game: Pick<ParsedGame, 'league' | 'teams' | 'home'>): {
  home: TeamId | null;
  away: TeamId | null;
  first: TeamId;
  second: TeamId;
} {
  const { order } = game.league;
  if (order === 'listed') return { home: null, away: null, first: game.teams[0], second: game.teams[1] };
  const away_first = order === 'away_first';
  const home = game.home ?? game.teams[away_first ? 1 : 0];
  const away = home === game.teams[0] ? game.teams[1] : game.teams[0];
  return { home, away, first: away_first ? away : home, second: away_first ? home : away };
}

/** An id without its pool and marks: what reads well as an outcome's key. */
export const bareId = (id: TeamId): string =>
  id
    .slice(id.indexOf('/') + 1)
    .replace(AS_PRINTED, '')
    .replace('+', '-');

/** Outcome key of a team in a game: `houston-astros`; with its pool where two teams of one game would share it. */
export function outcomeKey(teams: readonly [TeamId, TeamId], team: TeamId): string {
  return bareId(teams[0]) === bareId(teams[1]) ? slugOf(team) : bareId(team);
}

/** The key under which both venues' winner of this game meet; the `game_key` of everything else that is asked of it. */
export function moneylineKey(league: League, stage: Stage, scope: string, teams: readonly string[]): string {
  return ['moneyline', league.sport, league.key ?? league.id, stage, scope, [...teams].sort().join(',')].join('|');
}

export const gameKey = (game: ParsedGame): string => moneylineKey(game.league, game.stage, 'game', game.teams);

/** What every question about a game carries in its identity beside its own parts. */
export function gameIdentity(game: ParsedGame): { [key: string]: Json } {
  return {
    sport: game.league.sport,
    competition: game.league.id,
    // Could venue_b have named this competition? Only then does it say another one by naming another.
    prefixed: game.league.venue_b.prefixes.length > 0,
    stage: game.stage,
    participants: [...game.teams].sort(),
    rematch: game.league.rematch,
    start_source: game.start_source,
    ...wholeNames(game),
    ...(game.also.length === 0 ? {} : { also: [...game.also] }),
    ...(game.occasion === null ? {} : { occasion: game.occasion }),
    ...game.evidence,
  };
}

/** Persons' names as far as the listing prints them whole, without accents: two of one family name are two persons. */
function wholeNames(game: ParsedGame): { [key: string]: Json } {
  if (game.league.open !== 'person' && game.league.open !== 'full_name') return {};
  const fullNames = [...game.printed]
    .filter(([, name]) => hasGivenName(name))
    .map(([id, name]) => [bareId(id), normalize(name)]);
  return fullNames.length === 0 ? {} : { participants_full: Object.fromEntries(fullNames.sort()) };
}

/**
 * Keys of the match under every other word by which the other venue may call its players: a person of two family names may be
 * printed with one. `names`: as printed, in any order; a name that is none of the two teams' is left out.
 */
export function alternativeKeys(
  game: Pick<ParsedGame, 'league' | 'stage' | 'teams'>,
  names: readonly string[],
  givenFirst: boolean,
): string[] {
  if (game.league.open !== 'person') return [];
  const [first, second] = game.teams.map((team) => {
    const own = names.filter((name) => findParticipant(game.league, name, [team]) === team);
    const keys = own.flatMap((name) => playerKeys(name, givenFirst)).map((key) => `${game.league.pool.id}/${key}`);
    return new Set([team, ...keys]);
  });
  const all = [...(first ?? [])].flatMap((a) =>
    [...(second ?? [])].filter((b) => b !== a).map((b) => moneylineKey(game.league, game.stage, 'game', [a, b])),
  );
  const own = moneylineKey(game.league, game.stage, 'game', game.teams);
  return [...new Set(all)].filter((key) => key !== own).sort();
}

/** Evidence of a format that parts games of the same sides (T20, ODI); nothing where none is known. */
export const formatEvidence = (format: string | null): { [key: string]: Json } => (format === null ? {} : { format });

/** The longest text that a listing prints for each of its teams. */
export function printedNames(
  league: League,
  teams: readonly [TeamId, TeamId],
  texts: readonly (string | null)[],
): Map<TeamId, string> {
  const printed = new Map<TeamId, string>();
  for (const text of texts) {
    const team = text === null ? null : findParticipant(league, text, teams);
    if (text !== null && team !== null && text.length > (printed.get(team)?.length ?? 0)) printed.set(team, text);
  }
  return printed;
}

/** `MLB`, `MLB Preseason`. */
export const competitionName = (league: League, stage: Stage): string =>
  stage === 'preseason' ? `${league.name} Preseason` : league.name;
