import { easternDate } from '../../core/eastern.ts';
import type { League } from '../leagues/index.ts';

/**
 * Days of the year (New York) on which a league plays preseason games. Both venues then name the
 * preseason.
 */
const PRESEASON_DATES: { readonly [league: string]: readonly [from: string, to: string] } = {
  mlb: ['02-15', '03-23'],
  nba: ['09-25', '10-18'],
  nfl: ['07-25', '08-31'],
  nhl: ['09-15', '10-03'],
  wnba: ['04-25', '05-06'],
};

const preseasonLeagues = new Map<string, League>();

/**
 * The league under the name that both venues use on the day of `start`: "Pro Football Preseason" in
 * August.
 */
export function leagueOn(league: League, start: number): League {
  const [from = '', to = ''] = PRESEASON_DATES[league.key] ?? [];
  const day = easternDate(start).slice(5);
  if (day < from || day > to) return league;
  const known = preseasonLeagues.get(league.key);
  if (known) return known;
  const made = { ...league, competition: `${league.competition} Preseason`, bName: `${league.bName} preseason` };
  preseasonLeagues.set(league.key, made);
  return made;
}
