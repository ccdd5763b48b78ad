import type { League } from '../names/registry.ts';
import { easternDate } from '../text/eastern.ts';

/**
 * Returns the stage of a game. A preseason game is another question than a game that counts. The
 * words of the listing decide. The calendar of the league decides only when the listing does not
 * name its competition.
 */
export function stageOf(
  league: League,
  words: readonly (string | null)[],
  namesCompetition: boolean,
  on_date: string | null,
): 'preseason' | 'season' {
  const joined = words.filter((word) => word !== null).join(' ');
  if (/pre-?\s?season|spring training|exhibition/i.test(joined)) return 'preseason';
  if (namesCompetition || league.preseason === null || on_date === null) return 'season';
  const day = on_date.slice(5);
  const [from = '', to = ''] = league.preseason;
  return day >= from && day <= to ? 'preseason' : 'season';
}

/**
 * Returns the day of a game in New York: the date that the listing names, else the day of its
 * start.
 */
export function dayOf(named: string | null, start_at: string | null): string | null {
  return named ?? (start_at === null ? null : easternDate(start_at));
}
