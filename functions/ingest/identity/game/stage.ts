import type { League } from '../names/registry.ts';
import { easternDate } from '../text/eastern.ts';

/**
 * Preseason games are other questions than games that count. The listing's own words decide; only a listing that says nothing
 * about its competition is read by the league's calendar.
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

/** The New York day of a game: what the listing calls its date, else the day of its start. */
export function dayOf(named: string | null, start_at: string | null): string | null {
  return named ?? (start_at === null ? null : easternDate(start_at));
}
