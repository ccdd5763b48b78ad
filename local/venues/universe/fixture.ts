import type { League, Team } from './leagues/index.ts';

/** One game that will be played. */
export type Fixture = {
  league: League;
  away: Team;
  home: Team;
  start: number;
  /** When venue A lists it. */
  listed: number;
  /** Second game of a doubleheader. */
  second: boolean;
  on: 'both' | 'a' | 'b';
};
