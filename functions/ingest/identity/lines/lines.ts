import type { Json, Question } from '../../listing.ts';
import {
  competitionName,
  type GameFacts,
  gameIdentity,
  gameKey,
  nameIn,
  outcomeKey,
  type ParsedGame,
  sidesOf,
  teamIn,
} from '../game/game.ts';
import { buildSides } from '../game/game_payoff.ts';
import { gameTerms } from '../game/game_terms.ts';
import { excludedBy, NOT_FOUND, termsWith, whyOf } from '../game/verdict.ts';
import { parseTitleSides, splitCodes } from '../names/participants.ts';
import { type League, type TeamId, teamOf, teamsByCode } from '../names/registry.ts';
import { buildQuestion, type Exclusion, orderLegs, type UnorderedLeg } from '../question.ts';
import { parseGameSlug } from '../text/slug.ts';
import { parseGameTicker } from '../text/ticker.ts';
import { lineVerdict } from './line_payoff.ts';
import type { LineFamily } from './lines_registry.ts';

/** The contract that pays when one side of a line comes true. */
export type Contract = { market_id: string; contract_id: string; side: 'yes' | 'no' | null };

/** A line of a whole game as parsed from either venue. */
export type Line = {
  family: LineFamily;
  /** The unit that is counted: goals, runs, points, games, sets, maps. */
  unit: string;
  /**
   * spread: the team that `line` handicaps. team_total: the team whose count it is. total: null.
   */
  team: TeamId | null;
  /**
   * From the point of view of `team`, with its sign: the spread of a favourite is -3.5, a total is
   * 44.5.
   */
  line: number;
  /**
   * `above` pays when the count is above the line (spread: when `team` covers). `below` pays
   * otherwise.
   */
  above: Contract;
  below: Contract;
};

/** What the listing of a line states in addition to the line. */
export type LineListing = {
  nativeId: string;
  close_at: string | null;
  rules: string | null;
  /** Labels with which the outcomes of the listing name a team. */
  labels: readonly { team: TeamId | null; label: string }[];
  evidence: { [key: string]: Json };
};

/**
 * Builds one question per line. A spread is stated from the side of the favourite: A at +1.5 is B
 * at -1.5, the same two-sided contract. At zero there is no favourite and the order of the team ids
 * decides.
 */
export function lineQuestion(game: ParsedGame, parsed: Line, listing: LineListing): Question {
  const { family, unit, team, line, above, below } = parsed.family === 'spread' ? favouriteFirst(game, parsed) : parsed;
  const other = game.teams[0] === team ? game.teams[1] : game.teams[0];
  const key = gameKey(game).split('|').slice(1);
  const sides = family === 'spread' && team !== null ? coverSides(game, team, other, line) : overSides(line);
  const labelled = listing.labels.flatMap(({ label, team: of }) => (of === null ? [] : [{ team: of, label }]));
  const about = buildSides(game, labelled, [game.title]);
  const payoff = lineVerdict(about, { family, unit, team, line }, listing.rules) ?? NOT_FOUND;
  const legs: UnorderedLeg[] = sides.map((side, at) => ({ ...side, ...(at === 0 ? above : below), detail: null }));
  return buildQuestion(
    {
      question_id: `${game.venue}:${listing.nativeId}`,
      family,
      key: [family, ...key, unit, ...(team === null ? [] : [team]), line].join('|'),
      title: titleOf(game, { family, unit, team, line }),
      identity: {
        ...gameIdentity(game),
        scope: 'game',
        unit,
        ...(team === null ? {} : { team }),
        participants_by: teamsKnownBy(game),
        sibling: game.sibling,
        whole: true,
        ...listing.evidence,
        ...whyOf(payoff),
      },
    },
    {
      ...factsOf(game),
      close_at: listing.close_at ?? game.close_at,
      line,
      game_key: gameKey(game),
      basis: `${unit}, full game`,
      excluded: excludedBy(payoff, null),
    },
    // Only the text of the line itself counts. The text of the event is that of the winner.
    termsWith(gameTerms(game, listing.rules, sourcesOf(game.terms), game.on_date), payoff),
    orderLegs(
      legs,
      sides.map((side) => side.outcome_key),
    ),
  );
}

function favouriteFirst(game: ParsedGame, parsed: Line): Line {
  const [low, high] = [...game.teams].sort() as [TeamId, TeamId];
  const turn = parsed.line > 0 || (parsed.line === 0 && parsed.team === high);
  if (!turn) return { ...parsed, line: parsed.line === 0 ? 0 : parsed.line };
  const other = parsed.team === low ? high : low;
  return {
    ...parsed,
    team: other,
    line: parsed.line === 0 ? 0 : -parsed.line,
    above: parsed.below,
    below: parsed.above,
  };
}

type Side = Pick<UnorderedLeg, 'outcome_key' | 'outcome_name'>;

const overSides = (line: number): [Side, Side] => [
  { outcome_key: 'over', outcome_name: `Over ${line}` },
  { outcome_key: 'under', outcome_name: `Under ${line}` },
];

function coverSides(game: ParsedGame, team: TeamId, other: TeamId, line: number): [Side, Side] {
  const side = (one: TeamId, handicap: string): Side => ({
    outcome_key: `${outcomeKey(game.teams, one)}-cover`,
    outcome_name: `${nameIn(game, one)} ${handicap}`,
  });
  return line === 0 ? [side(team, '0'), side(other, '0')] : [side(team, `${line}`), side(other, `+${-line}`)];
}

function titleOf(game: ParsedGame, parsed: Pick<Line, 'family' | 'unit' | 'team' | 'line'>): string {
  const { first, second } = sidesOf(game);
  const names = `${nameIn(game, first)} vs ${nameIn(game, second)}`;
  if (parsed.team === null) return `${names}: total ${parsed.line} ${parsed.unit}`;
  const team = nameIn(game, parsed.team);
  return parsed.family === 'spread'
    ? `${names}: ${team} ${parsed.line} ${parsed.unit}`
    : `${names}: ${team} total ${parsed.line} ${parsed.unit}`;
}

function factsOf(game: ParsedGame) {
  const { home, away } = sidesOf(game);
  return {
    on_date: game.on_date,
    game_no: game.game_no,
    start_at: game.start_at,
    close_at: game.close_at,
    sport: game.league.sport,
    competition: competitionName(game.league, game.stage),
    home: nameIn(game, home),
    away: nameIn(game, away),
    url: game.url,
  };
}

/**
 * Returns how each team is known: by the names of the listing, by its codes, by both, or as a
 * printed name that is not in the registry.
 */
function teamsKnownBy(game: ParsedGame): string[] {
  const names = parseTitleSides(game.title);
  const named = names !== null && [names.first, names.second].every((name) => teamIn(game, name, null) !== null);
  const [a, b] = game.teams;
  const cuts =
    game.venue === 'venue_a'
      ? splitCodes(game.league, 'venue_a', parseGameTicker(game.event, game.league.rematch === 'same_day')?.codes ?? '')
      : [(parseGameSlug(game.event)?.codes ?? []).map((code) => teamsByCode(game.league, 'venue_b', code))];
  const coded = cuts.some(([x, y]) => (x?.has(a) && y?.has(b)) || (x?.has(b) && y?.has(a)));
  const by = named && coded ? 'label+code' : named ? 'label' : 'code';
  return game.teams.map((team) => (teamOf(team) === null ? 'as_printed' : by)).sort();
}

/** Returns the sources in the terms of a game. */
export const sourcesOf = (terms: { [key: string]: Json }): string[] =>
  Array.isArray(terms.sources) ? terms.sources.filter((one) => typeof one === 'string') : [];

/** Builds the excluded question of a line, with details, so that an operator can see the reason. */
export function rejectLine(
  venue: 'venue_a' | 'venue_b',
  nativeId: string,
  family: LineFamily,
  league: League,
  excluded: Exclusion,
  details: { [key: string]: Json },
  about: GameFacts | ParsedGame,
): Question {
  const game = 'teams' in about ? about : null;
  return buildQuestion(
    {
      question_id: `${venue}:${nativeId}`,
      family,
      key: `${family}|${league.sport}|${league.id}|?|${nativeId.toLowerCase()}`,
      title: about.title ?? nativeId,
      identity: { sport: league.sport, competition: league.id, ...(game ? gameIdentity(game) : {}), ...details },
    },
    {
      on_date: about.on_date,
      start_at: about.start_at,
      close_at: about.close_at,
      url: about.url,
      sport: league.sport,
      competition: league.name,
      game_key: game ? gameKey(game) : null,
      excluded,
    },
    {},
    [],
  );
}
