import { type Calendar, leagueFixtures } from '../calendar/schedule.ts';
import { UNREGISTERED_LEAGUES } from '../leagues/unregistered.ts';
import type { Question } from '../question.ts';
import { gameQuestions } from './games.ts';

const GAMES_PER_DAY = 2;

/**
 * The games of the leagues that the product does not know. Both venues list each of them, without a
 * defect. They have no legs, so the ground truth and the planned opportunities leave them out.
 */
export function unregisteredGames(seed: number, calendar: Calendar, day: number): Question[] {
  return UNREGISTERED_LEAGUES.flatMap((league) => {
    const own = { ...calendar, perDay: new Map([[league.key, GAMES_PER_DAY]]) };
    return leagueFixtures(own, league, day)
      .map((fixture) => ({ ...fixture, on: 'both' as const, defect: null, lines: false }))
      .flatMap((fixture) => gameQuestions(seed, fixture).questions)
      .map((question) => ({ ...question, family: 'unregistered_game', legs: [] }));
  });
}
