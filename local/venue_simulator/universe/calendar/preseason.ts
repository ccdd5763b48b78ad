import { easternDate } from '../../core/eastern.ts';
import type { League } from '../leagues/index.ts';

/** Days of the year (New York) on which a league plays games that do not count; both venues say so then. */
const WINDOWS: { readonly [league: string]: readonly [from: string, to: string] } = {
  mlb: ['02-15', '03-23'],
  nba: ['09-25', '10-18'],
  nfl: ['07-25', '08-31'],
  nhl: ['09-15', '10-03'],
  wnba: ['04-25', '05-06'],
};

const early = new Map<string, League>();

/** The league as both venues name it on the day of `start`: "Pro Football Preseason" in August. */
export function leagueOn(league: League, start: number): League {
  const [from = '', to = ''] = WINDOWS[league.key] ?? [];
  const day = easternDate(start).slice(5);
  if (day < from || day > to) return league;
  const known = early.get(league.key);
  if (known) return known;
  const made = { ...league, competition: `${league.competition} Preseason`, bName: `${league.bName} preseason` };
  early.set(league.key, made);
  return made;
}
