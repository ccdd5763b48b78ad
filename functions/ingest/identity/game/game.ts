import type { Json, VenueCode } from '../../listing.ts';
import { findParticipant } from '../names/participants.ts';
import { hasGivenName, playerKeys } from '../names/person.ts';
import { AS_PRINTED, type League, type TeamId, teamOf, teamsByCode } from '../names/registry.ts';
import type { Exclusion } from '../question.ts';
import { intersection } from '../text/sets.ts';
import { normalize, slugOf } from '../text/text.ts';

/**
 * The game of a listing, for every question about it: winner, total, spread. The parsers of both
 * venues return this type.
 */
export type ParsedGame = {
  venue: VenueCode;
  event: string;
  league: League;
  stage: Stage;
  /** In the order of the listing. */
  teams: readonly [first: TeamId, second: TeamId];
  /** Set where the listing names the home team. Otherwise the order of the league decides. */
  home: TeamId | null;
  /** The date as the listing names it, in New York time. */
  on_date: string;
  game_no: number | null;
  /**
   * The occasion in the ticker of venue_a ("26AUG092020"). It does not change when the game is
   * moved. Null on venue_b.
   */
  occasion: string | null;
  start_at: string | null;
  start_source: string | null;
  close_at: string | null;
  url: string | null;
  title: string | null;
  /**
   * Marks a side event of a game on venue_b ("more-markets", "game2"). Null for the event of the
   * game itself.
   */
  sibling: string | null;
  rules: string | null;
  terms: { [key: string]: Json };
  /** Evidence in addition to the parts of the key. */
  evidence: { [key: string]: Json };
  /** Names as the listing prints them, for participants that are not in the registry. */
  printed: ReadonlyMap<TeamId, string>;
  /**
   * Further keys under which the other venue may list the same match, because a person may have two
   * family names.
   */
  also: readonly string[];
};

export type Stage = 'preseason' | 'season';

/** A listing of a known league whose game could not be parsed, with the facts that could. */
export type UnparsedGame = {
  league: League;
  problem: Exclusion;
  detail: string;
  facts: GameFacts;
};

/** Facts of a game that are known even when its teams are not. */
export type GameFacts = {
  title: string | null;
  on_date: string | null;
  start_at: string | null;
  close_at: string | null;
  url: string | null;
};

export const isUnparsed = (game: ParsedGame | UnparsedGame): game is UnparsedGame => 'problem' in game;

/** Returns the display name of a team. Null for null. */
export function nameIn(game: Pick<ParsedGame, 'printed'>, team: TeamId): string;
export function nameIn(game: Pick<ParsedGame, 'printed'>, team: TeamId | null): string | null;
export function nameIn(game: Pick<ParsedGame, 'printed'>, team: TeamId | null): string | null {
  return team === null ? null : (teamOf(team)?.name ?? game.printed.get(team) ?? bareId(team));
}

/**
 * Returns the team of the game that a printed name or a venue code means. Null when both or neither
 * are possible.
 */
export function teamIn(game: ParsedGame, name: string | null, code: string | null): TeamId | null {
  const named = name === null ? null : findParticipant(game.league, name, game.teams);
  if (named !== null || code === null) return named;
  const may = [...intersection(teamsByCode(game.league, game.venue, code), new Set(game.teams))];
  return may.length === 1 ? (may[0] ?? null) : null;
}

/**
 * Returns the home and away team (null in leagues that name none), and the two teams in the order
 * of the league.
 */
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

/** Returns an id without its pool and marks, for use as an outcome key. */
export const bareId = (id: TeamId): string =>
  id
    .slice(id.indexOf('/') + 1)
    .replace(AS_PRINTED, '')
    .replace('+', '-');

/**
 * Returns the outcome key of a team in a game: `houston-astros`. The pool is included when two
 * teams of one game would share a key.
 */
export function outcomeKey(teams: readonly [TeamId, TeamId], team: TeamId): string {
  return bareId(teams[0]) === bareId(teams[1]) ? slugOf(team) : bareId(team);
}

/**
 * Returns the key under which the winner of this game is matched. It is also the `game_key` of
 * every other question about the game.
 */
export function moneylineKey(league: League, stage: Stage, scope: string, teams: readonly string[]): string {
  return ['moneyline', league.sport, league.key ?? league.id, stage, scope, [...teams].sort().join(',')].join('|');
}

export const gameKey = (game: ParsedGame): string => moneylineKey(game.league, game.stage, 'game', game.teams);

/** Whether the sides of a competition are persons, as in tennis and MMA. */
const hasPersons = ({ open }: League): boolean => open === 'person' || open === 'full_name';

/**
 * Returns the identity fields that every question about a game shares, in addition to its own
 * parts.
 */
export function gameIdentity(game: ParsedGame): { [key: string]: Json } {
  return {
    sport: game.league.sport,
    competition: game.league.id,
    // Whether venue_b has a slug prefix for this competition. Only then is another prefix a
    // contradiction.
    prefixed: game.league.venue_b.prefixes.length > 0,
    stage: game.stage,
    ...(hasPersons(game.league) ? { names_person: true } : {}),
    participants: [...game.teams].sort(),
    rematch: game.league.rematch,
    start_source: game.start_source,
    ...wholeNames(game),
    ...(game.also.length === 0 ? {} : { also: [...game.also] }),
    ...(game.occasion === null ? {} : { occasion: game.occasion }),
    ...game.evidence,
  };
}

/**
 * Returns the full names of persons without accents, where the listing prints them. Two persons may
 * share a family name.
 */
function wholeNames(game: ParsedGame): { [key: string]: Json } {
  if (!hasPersons(game.league)) return {};
  const fullNames = [...game.printed]
    .filter(([, name]) => hasGivenName(name))
    .map(([id, name]) => [bareId(id), normalize(name)]);
  return fullNames.length === 0 ? {} : { participants_full: Object.fromEntries(fullNames.sort()) };
}

/**
 * Returns further keys of a match of persons, one for every other word that may be a family name.
 * The other venue may print a person with two family names under one of them. `names` holds the
 * names as printed, in any order. A name of neither player is ignored.
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

/**
 * Returns evidence of a format that separates games of the same teams (T20, ODI). Empty when no
 * format is known.
 */
export const formatEvidence = (format: string | null): { [key: string]: Json } => (format === null ? {} : { format });

/** Returns the longest name that a listing prints for each team. */
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

/** Returns `MLB` or `MLB Preseason`. */
export const competitionName = (league: League, stage: Stage): string =>
  stage === 'preseason' ? `${league.name} Preseason` : league.name;
