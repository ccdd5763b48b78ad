import { keyOf, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { PlayedGame } from '../games/played_game.ts';
import { type LinePlan, planOf } from './plan.ts';
import { type Score, scoreOf } from './score.ts';

export type LineFamily = 'total' | 'spread' | 'team_total';
export type Lineup = { score: Score; plan: LinePlan; suffix: string };

export const lineKey = (seed: number, ticker: string): number => keyOf(seed, 'lines', ticker);

/** The score of a game with lines, and the lines that both venues list of it. */
export function lineup(
  game: { seed: number; fixture: Fixture } & Pick<PlayedGame, 'ticker' | 'moments' | 'winner' | 'chances'>,
): Lineup {
  const { seed, fixture, ticker, moments, winner, chances } = game;
  const { scoring } = fixture.league;
  if (!scoring) throw new Error(`${fixture.league.key} has no lines`);
  const key = lineKey(seed, ticker);
  const score = scoreOf({ key, scoring, start: fixture.start, ends: moments.ends, winner, chances });
  return { score, plan: planOf(key, scoring, score), suffix: ticker.slice(ticker.indexOf('-') + 1) };
}

/** Half of the games with lines have team totals. */
export const hasTeamTotals = (suffix: string): boolean => unit(keyOf(suffix), 8) < 0.5;
