import { DAY } from '../../core/eastern.ts';
import { unit } from '../../core/random.ts';
import type { League, Team } from '../leagues/index.ts';
import { kinOf } from '../leagues/persons.ts';
import type { Fixture } from './fixture.ts';

/** What makes a game unlike most: rare in the real world, often enough here that every day has one of each. */
export type SpecialCase = Pick<Fixture, 'fate' | 'lookalike' | 'caution' | 'lines'> & {
  late: number;
  /** Who plays instead of the home side: another of the away side's name. */
  kin: Team | null;
};

export const NO_SPECIAL_CASE = { fate: 'played', lookalike: null, caution: null, lines: false } as const;

const PRESEASONS = new Set(['nfl', 'nba', 'nhl']);
const LINED = 0.17;

/** At most one oddity a game: a test that fails should have one reason. */
export function specialCaseOf(key: number, league: League, away: Team, on: Fixture['on'], again: boolean): SpecialCase {
  const plain: SpecialCase = { ...NO_SPECIAL_CASE, late: 0, kin: null };
  if (on !== 'both') return plain;
  const lookalike = lookalikeOf(key, league, away);
  if (lookalike) return { ...plain, lookalike };
  const kin = league.persons ? kinOf(away) : null;
  if (kin && unit(key, 1) > 0.7) return { ...plain, kin };
  const roll = unit(key, 2);
  if (roll < 0.012) return { ...plain, caution: 'unfilled_template' };
  // Tennis names no day that could be another one.
  if (roll < 0.024) return { ...plain, caution: league.rules === 'tennis' ? 'no_rules' : 'rules_contradict_fields' };
  if (roll < 0.03) return { ...plain, caution: 'rules_of_another_game' };
  if (roll < 0.042) return { ...plain, caution: 'no_rules' };
  // Two games of one pair on two days are told apart by the day that a postponement moves.
  if (roll < 0.065 && !again && league.rules !== 'esports') return { ...plain, late: DAY };
  const fate = fateOf(unit(key, 3), league);
  if (fate !== 'played') return { ...plain, fate };
  return { ...plain, lines: league.scoring !== null && unit(key, 4) < LINED };
}

function lookalikeOf(key: number, league: League, away: Team): Fixture['lookalike'] {
  const roll = unit(key, 1);
  if (PRESEASONS.has(league.key)) return roll < 0.04 ? 'preseason' : null;
  if (league.key === 'cbb') return roll < 0.12 ? 'women' : null;
  return league.persons && kinOf(away) && roll < 0.4 ? 'namesake' : null;
}

/**
 * How often a game of two sides is never played. Venue A then pays a fair price and venue B half to each: rare where a season is played to
 * its end (one settled pair of 2,564 differed in October 2026, venues.md C1), usual where one injury or the rain is enough.
 */
const CALLED_OFF: Partial<Record<League['rules'], number>> = { mma: 0.05, cricket: 0.03, baseball: 0.004 };
const SELDOM_CALLED_OFF = 0.0015;

function fateOf(roll: number, league: League): Fixture['fate'] {
  if (league.rules === 'tennis') return roll < 0.05 ? 'walkover' : 'played';
  if (league.key === 'nfl' && roll < 0.04) return 'tie';
  return roll > 1 - (CALLED_OFF[league.rules] ?? SELDOM_CALLED_OFF) && league.ways === 2 ? 'unplayed' : 'played';
}
