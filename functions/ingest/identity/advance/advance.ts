import type { Json, Question, VenueCode } from '../../listing.ts';
import { bareId, gameIdentity, gameKey, nameIn, outcomeKey, type ParsedGame, sidesOf } from '../game/game.ts';
import { gameTerms } from '../game/game_terms.ts';
import { excludedBy, termsWith, type Verdict, whyOf } from '../game/verdict.ts';
import { sourcesOf } from '../lines/lines.ts';
import { type League, type TeamId, teamOf } from '../names/registry.ts';
import { buildQuestion, type Exclusion, orderLegs, type UnorderedLeg } from '../question.ts';
import { sportsTerms } from '../terms/terms.ts';

/**
 * One leg of a question that asks which team advances. The question is a tie, which its last game
 * decides with extra time and penalties, or a playoff series.
 */
export type AdvanceLeg = { team: TeamId; market_id: string; contract_id: string; side: 'yes' | 'no' | null };

/**
 * Builds the question of a tie. The venues match it by the teams and the date of the deciding game.
 * The key needs no round, because two teams meet in one tie of a competition at a time.
 */
export function tieQuestion(
  game: ParsedGame,
  legs: readonly AdvanceLeg[],
  own: { nativeId: string; rules: string | null; payoff: Verdict; evidence: { [key: string]: Json } },
): Question {
  const { home, away, first, second } = sidesOf(game);
  const name = (team: TeamId) => nameIn(game, team);
  return buildQuestion(
    {
      question_id: `${game.venue}:${own.nativeId}`,
      family: 'advance',
      key: ['advance', ...gameKey(game).split('|').slice(1, -2), 'tie', [...game.teams].sort().join(',')].join('|'),
      title: `${name(first)} vs ${name(second)}: to advance`,
      identity: { ...gameIdentity(game), scope: 'tie', whole: true, ...own.evidence, ...whyOf(own.payoff) },
    },
    {
      on_date: game.on_date,
      start_at: game.start_at,
      close_at: game.close_at,
      sport: game.league.sport,
      competition: game.league.name,
      home: nameIn(game, home),
      away: nameIn(game, away),
      url: game.url,
      game_key: gameKey(game),
      basis: 'winner of the tie',
      excluded: excludedBy(own.payoff, null),
    },
    termsWith(gameTerms(game, own.rules, sourcesOf(game.terms), game.on_date), own.payoff),
    legsInOrder(legs, game.teams, [first, second], name),
  );
}

/** A playoff series as parsed from either venue. */
export type Series = {
  venue: VenueCode;
  nativeId: string;
  league: League;
  teams: readonly [TeamId, TeamId];
  /** The year in which the series is played. */
  year: number;
  /**
   * First day of a short series within the season, which the same teams play several times a year.
   * Null for a playoff series.
   */
  on_date: string | null;
  close_at: string | null;
  url: string | null;
  rules: string | null;
  sources: readonly string[];
  legs: readonly AdvanceLeg[];
  payoff: Verdict;
  evidence: { [key: string]: Json };
};

/**
 * Builds the question of a series. Teams and year identify it, because two teams meet once in a
 * year's playoffs. It carries no date of a single game.
 */
export function seriesQuestion(series: Series): Question {
  const { league, year, on_date } = series;
  const teams = [...series.teams].sort() as [TeamId, TeamId];
  const name = (team: TeamId) => teamOf(team)?.name ?? bareId(team);
  const scope = on_date === null ? 'series' : 'short-series';
  return buildQuestion(
    {
      question_id: `${series.venue}:${series.nativeId}`,
      family: 'advance',
      key: ['advance', league.sport, league.id, 'season', scope, teams.join(','), year].join('|'),
      title: `${name(teams[0])} vs ${name(teams[1])}: series winner ${year}`,
      identity: {
        sport: league.sport,
        competition: league.id,
        stage: 'season',
        scope,
        participants: teams,
        year,
        whole: true,
        ...series.evidence,
        ...whyOf(series.payoff),
      },
    },
    {
      on_date,
      close_at: series.close_at,
      sport: league.sport,
      competition: league.name,
      url: series.url,
      basis: 'winner of the series',
      excluded: excludedBy(series.payoff, null),
    },
    termsWith(sportsTerms(series.rules, series.sources, on_date), series.payoff),
    legsInOrder(series.legs, teams, teams, name),
  );
}

function legsInOrder(
  legs: readonly AdvanceLeg[],
  teams: readonly [TeamId, TeamId],
  order: readonly TeamId[],
  name: (team: TeamId) => string,
) {
  const all = legs.map(
    ({ team, ...contract }): UnorderedLeg => ({
      outcome_key: outcomeKey(teams, team),
      outcome_name: name(team),
      ...contract,
      detail: null,
    }),
  );
  return orderLegs(
    all,
    order.map((team) => outcomeKey(teams, team)),
  );
}

/**
 * Returns a leg for each team, or null when that is not possible. Where the venue lists one
 * contract only, its NO is the leg of the other team, because a tie or series cannot end in a draw.
 */
export function bothLegs(
  legs: readonly AdvanceLeg[],
  teams: readonly [TeamId, TeamId],
): { legs: AdvanceLeg[]; mirrored: boolean } | null {
  const own = legs.filter((leg) => teams.includes(leg.team));
  const [only] = own;
  if (own.length === 2 && own[0]?.team !== own[1]?.team) return { legs: own, mirrored: false };
  if (own.length !== 1 || only?.side !== 'yes') return null;
  const other = only.team === teams[0] ? teams[1] : teams[0];
  return { legs: [only, { ...only, team: other, side: 'no' }], mirrored: true };
}

/** Builds the excluded question of a tie or series that could not be parsed. */
export function rejectAdvance(
  venue: VenueCode,
  nativeId: string,
  league: League,
  excluded: Exclusion,
  detail: string,
  title: string | null,
): Question {
  return buildQuestion(
    {
      question_id: `${venue}:${nativeId}`,
      family: 'advance',
      key: `advance|${league.sport}|${league.id}|?|${nativeId.toLowerCase()}`,
      title: title ?? nativeId,
      identity: { sport: league.sport, competition: league.id, detail },
    },
    { sport: league.sport, competition: league.name, excluded },
    {},
    [],
  );
}
