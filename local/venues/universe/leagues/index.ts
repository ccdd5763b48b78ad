import { AMERICAN } from './american.ts';
import type { League } from './league.ts';
import { SOCCER } from './soccer.ts';

export type { League, Team } from './league.ts';

export const LEAGUES: readonly League[] = [...AMERICAN, ...SOCCER];

export function leagueBy(key: string): League {
  const league = LEAGUES.find((one) => one.key === key);
  if (!league) throw new Error(`no league ${key}`);
  return league;
}
