import type { Json, Question, VenueCode } from '../../listing.ts';
import { bareId, outcomeKey } from '../game/game.ts';
import { type League, type TeamId, teamOf } from '../names/registry.ts';
import { buildQuestion, orderLegs } from '../question.ts';
import { sportsTerms } from '../terms/terms.ts';
import type { Contract } from './lines.ts';

/**
 * A handicap in games over a whole playoff series ("Milwaukee -1.5 games"): the difference between
 * the games that the two teams win.
 */
export type SeriesSpread = {
  venue: VenueCode;
  nativeId: string;
  league: League;
  teams: readonly [TeamId, TeamId];
  /** The year in which the series is played. Two teams meet once in a year's playoffs. */
  year: number;
  /** The favourite, and its handicap in games as a positive half. */
  favourite: TeamId;
  games: number;
  /** `covers` pays when the favourite covers, `other` when it does not. */
  covers: Contract;
  other: Contract;
  close_at: string | null;
  url: string | null;
  rules: string | null;
  sources: readonly string[];
  evidence: { [key: string]: Json };
};

export function seriesSpreadQuestion(spread: SeriesSpread): Question {
  const { league, year, favourite, games } = spread;
  const teams = [...spread.teams].sort() as [TeamId, TeamId];
  const underdog = teams[0] === favourite ? teams[1] : teams[0];
  const name = (team: TeamId) => teamOf(team)?.name ?? bareId(team);
  const side = (team: TeamId, handicap: string, contract: Contract) => ({
    outcome_key: `${outcomeKey(teams, team)}-cover`,
    outcome_name: `${name(team)} ${handicap}`,
    ...contract,
    detail: null,
  });
  const legs = [side(favourite, `-${games}`, spread.covers), side(underdog, `+${games}`, spread.other)];
  const parts = [league.sport, league.id, 'season', 'series', teams.join(','), year, 'games', favourite, -games];
  return buildQuestion(
    {
      question_id: `${spread.venue}:${spread.nativeId}`,
      family: 'spread',
      key: ['spread', ...parts].join('|'),
      title: `${name(teams[0])} vs ${name(teams[1])}: ${name(favourite)} -${games} games, series ${year}`,
      identity: {
        sport: league.sport,
        competition: league.id,
        stage: 'season',
        scope: 'series',
        participants: teams,
        year,
        unit: 'games',
        team: favourite,
        whole: true,
        ...spread.evidence,
      },
    },
    {
      close_at: spread.close_at,
      sport: league.sport,
      competition: league.name,
      line: -games,
      url: spread.url,
      basis: 'games, whole series',
    },
    sportsTerms(spread.rules, spread.sources, null),
    orderLegs(
      legs,
      legs.map((leg) => leg.outcome_key),
    ),
  );
}
