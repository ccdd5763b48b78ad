import { AMERICAN } from './american.ts';
import { ARENA } from './arena.ts';
import { COLLEGE } from './college.ts';
import type { League } from './league.ts';
import { PERSONS } from './persons.ts';
import { SOCCER } from './soccer.ts';

export type { League, Scoring, Team } from './league.ts';

export const LEAGUES: readonly League[] = [...AMERICAN, ...SOCCER, ...PERSONS, ...ARENA, ...COLLEGE];

/** The word between two sides in venue A's titles. */
export const versusOf = (league: League): string => (league.rules === 'esports' ? 'vs.' : league.title);

export function leagueBy(key: string): League {
  const league = LEAGUES.find((one) => one.key === key);
  if (!league) throw new Error(`no league ${key}`);
  return league;
}
