import type { Fixture } from './fixture.ts';
import { womenOf } from './leagues/college.ts';
import { NAMESAKES } from './leagues/persons.ts';

/** The game that venue A means where the two venues list different games under the same names; the same game everywhere else. */
export function otherGameOnA(fixture: Fixture): Fixture {
  const { apart, league, away } = fixture;
  if (apart === 'women') return { ...fixture, league: womenOf(league) };
  // Football and the others write it into the competition's name ("Pro Football Preseason").
  if (apart === 'preseason')
    return { ...fixture, league: { ...league, competition: `${league.competition} Preseason` } };
  if (apart === 'namesake') return { ...fixture, away: { ...away, full: NAMESAKES[away.city] ?? away.full } };
  return fixture;
}
