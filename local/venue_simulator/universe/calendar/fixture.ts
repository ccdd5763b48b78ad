import type { League, Team } from '../leagues/index.ts';
import type { ListingDefect } from '../question.ts';

/** One game of the calendar. */
export type Fixture = {
  league: League;
  away: Team;
  home: Team;
  start: number;
  /** The start that both venues list at first. A postponed game starts later. */
  scheduled: number;
  /** Listing time on venue A. */
  listed: number;
  /** Its number in a playoff series. Null outside a playoff series. */
  gameNo: number | null;
  /** True for the second game of a doubleheader. */
  second: boolean;
  on: 'both' | 'a' | 'b';
  /** `unplayed` and `walkover`: venue A pays a fair price, venue B pays half to each side. */
  fate: 'played' | 'tie' | 'unplayed' | 'walkover';
  /** Both venues list a game under these names, but not the same game. Null for the same game. */
  lookalike: 'preseason' | 'women' | 'namesake' | null;
  defect: ListingDefect | null;
  /** Whether both venues list betting lines of the game. */
  lines: boolean;
};
