import { DAY } from '../../core/eastern.ts';
import { unit } from '../../core/random.ts';
import type { League, Team } from '../leagues/index.ts';
import { namesakeOf } from '../leagues/persons.ts';
import type { Fixture } from './fixture.ts';

/**
 * A special case of a game. Real venues have few of them. The simulator has each of them every day.
 */
export type SpecialCase = Pick<Fixture, 'fate' | 'lookalike' | 'defect' | 'lines'> & {
  delayMs: number;
  /**
   * The opponent that replaces the home side: another person with the family name of the away side.
   */
  opponentNamesake: Team | null;
};

export const NO_SPECIAL_CASE = { fate: 'played', lookalike: null, defect: null, lines: false } as const;

const PRESEASON_LEAGUES = new Set(['nfl', 'nba', 'nhl']);
const LINES_RATE = 0.17;

/** At most one special case per game, so that a failing test has one reason. */
export function specialCaseOf(key: number, league: League, away: Team, on: Fixture['on'], again: boolean): SpecialCase {
  const plain: SpecialCase = { ...NO_SPECIAL_CASE, delayMs: 0, opponentNamesake: null };
  if (on !== 'both') return plain;
  const lookalike = lookalikeOf(key, league, away);
  if (lookalike) return { ...plain, lookalike };
  const opponentNamesake = league.persons ? namesakeOf(away) : null;
  if (opponentNamesake && unit(key, 1) > 0.7) return { ...plain, opponentNamesake };
  const roll = unit(key, 2);
  if (roll < 0.012) return { ...plain, defect: 'unfilled_template' };
  // Tennis rules contain no date that a defect could change.
  if (roll < 0.024) return { ...plain, defect: league.rules === 'tennis' ? 'no_rules' : 'rules_contradict_fields' };
  if (roll < 0.03) return { ...plain, defect: 'rules_of_another_game' };
  if (roll < 0.042) return { ...plain, defect: 'no_rules' };
  // A postponement moves a game to the day of the rematch, and the two could not be distinguished.
  if (roll < 0.065 && !again && league.rules !== 'esports') return { ...plain, delayMs: DAY };
  const fate = fateOf(unit(key, 3), league);
  if (fate !== 'played') return { ...plain, fate };
  return { ...plain, lines: league.scoring !== null && unit(key, 4) < LINES_RATE };
}

function lookalikeOf(key: number, league: League, away: Team): Fixture['lookalike'] {
  const roll = unit(key, 1);
  if (PRESEASON_LEAGUES.has(league.key)) return roll < 0.04 ? 'preseason' : null;
  if (league.key === 'cbb') return roll < 0.12 ? 'women' : null;
  return league.persons && namesakeOf(away) && roll < 0.4 ? 'namesake' : null;
}

/**
 * Probability that a game with two outcomes is not played. Venue A then pays a fair price and venue
 * B half to each side. In leagues that play every game it is one in 2,564, as of the settled pairs
 * that a monitor watched in October 2026 (venues.md C1). It is higher where an injury or rain
 * cancels a game.
 */
const CANCELLATION_RATES: Partial<Record<League['rules'], number>> = { mma: 0.05, cricket: 0.03, baseball: 0.004 };
const DEFAULT_CANCELLATION_RATE = 1 / 2_564;

function fateOf(roll: number, league: League): Fixture['fate'] {
  if (league.rules === 'tennis') return roll < 0.05 ? 'walkover' : 'played';
  if (league.key === 'nfl' && roll < 0.04) return 'tie';
  return roll > 1 - (CANCELLATION_RATES[league.rules] ?? DEFAULT_CANCELLATION_RATE) && league.ways === 2
    ? 'unplayed'
    : 'played';
}
