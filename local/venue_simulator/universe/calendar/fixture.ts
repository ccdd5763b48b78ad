import type { League, Team } from '../leagues/index.ts';
import type { ListingDefect } from '../question.ts';

/** One game that will be played. */
export type Fixture = {
  league: League;
  away: Team;
  home: Team;
  start: number;
  /** The start by which both venues named it; a postponed game is played later. */
  scheduled: number;
  /** When venue A lists it. */
  listed: number;
  /** Which game of a playoff series it is; null elsewhere. */
  gameNo: number | null;
  /** Second game of a doubleheader. */
  second: boolean;
  on: 'both' | 'a' | 'b';
  /** `unplayed` and `walkover`: venue A pays a fair price, venue B half to each. */
  fate: 'played' | 'tie' | 'unplayed' | 'walkover';
  /** Listed by both, but each means another game. */
  lookalike: 'preseason' | 'women' | 'namesake' | null;
  caution: ListingDefect | null;
  /** Whether both venues list lines of it. */
  lines: boolean;
};
