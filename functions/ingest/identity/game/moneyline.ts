import type { Json, Question, VenueCode } from '../../listing.ts';
import type { TeamId } from '../names/registry.ts';
import { buildQuestion, type Exclusion, orderLegs, type UnorderedLeg } from '../question.ts';
import {
  competitionName,
  gameIdentity,
  gameKey,
  nameIn,
  outcomeKey,
  type ParsedGame,
  sidesOf,
  type UnparsedGame,
} from './game.ts';
import { excludedBy, termsWith, type Verdict, whyOf } from './verdict.ts';

/** One leg of a winner: a team, or the draw where the draw is an outcome. */
export type WinnerLeg = { team: TeamId | 'draw'; market_id: string; contract_id: string; side: 'yes' | 'no' | null };

/** Builds the question of the winner of a game, with the same form and key for both venues. */
export function moneylineQuestion(
  game: ParsedGame,
  legs: readonly WinnerLeg[],
  evidence: { [key: string]: Json },
  payoff: Verdict,
  excluded: Exclusion | null,
): Question {
  const { league, teams } = game;
  const { home, away, first, second } = sidesOf(game);
  const name = (team: TeamId) => nameIn(game, team);
  const keyOf = (team: TeamId | 'draw') => (team === 'draw' ? 'draw' : outcomeKey(teams, team));
  const unordered = legs.map(
    ({ team, ...leg }): UnorderedLeg => ({
      outcome_key: keyOf(team),
      outcome_name: team === 'draw' ? 'Draw' : name(team),
      ...leg,
      detail: null,
    }),
  );
  return buildQuestion(
    {
      question_id: questionId(game.venue, game.event),
      family: 'moneyline',
      key: gameKey(game),
      title: `${name(first)} vs ${name(second)}`,
      identity: {
        ...gameIdentity(game),
        scope: 'game',
        ways: league.ways,
        // Every possible result has a leg. Only then can buying all legs be safe.
        whole: legs.length === league.ways,
        ...evidence,
        ...whyOf(payoff),
      },
    },
    {
      on_date: game.on_date,
      game_no: game.game_no,
      start_at: game.start_at,
      close_at: game.close_at,
      sport: league.sport,
      competition: competitionName(league, game.stage),
      home: nameIn(game, home),
      away: nameIn(game, away),
      url: game.url,
      exclusive: true,
      excluded: excludedBy(payoff, excluded),
    },
    termsWith(game.terms, payoff),
    orderLegs(unordered, [keyOf(first), keyOf(second), 'draw']),
  );
}

export const questionId = (venue: VenueCode, nativeId: string): string => `${venue}:${nativeId}`;

/**
 * Builds the excluded question of a game that could not be parsed. It keeps the texts, so that an
 * operator can see what the registry lacks.
 */
export function unparsedGame(
  venue: VenueCode,
  event: string,
  unread: UnparsedGame,
  texts: { [key: string]: Json },
): Question {
  const { league, facts } = unread;
  return buildQuestion(
    {
      question_id: questionId(venue, event),
      family: 'moneyline',
      key: `moneyline|${league.sport}|${league.id}|?|${event.toLowerCase()}`,
      title: facts.title ?? event,
      identity: { sport: league.sport, competition: league.id, detail: unread.detail, title: facts.title, ...texts },
    },
    {
      on_date: facts.on_date,
      start_at: facts.start_at,
      close_at: facts.close_at,
      url: facts.url,
      sport: league.sport,
      competition: league.name,
      excluded: unread.problem,
    },
    {},
    [],
  );
}
