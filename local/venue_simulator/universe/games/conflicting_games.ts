import { keyOf, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { womenOf } from '../leagues/college.ts';
import { challengerOf, namesakeOf } from '../leagues/persons.ts';

/**
 * The game that venue A lists. If the two venues list different games under the same names, it is
 * the other game.
 */
export function otherGameOnA(fixture: Fixture): Fixture {
  const { lookalike, league, away } = fixture;
  if (lookalike === 'women') return { ...fixture, league: womenOf(league) };
  // Venue A adds the preseason to the name of the competition ("Pro Football Preseason").
  if (lookalike === 'preseason')
    return { ...fixture, league: { ...league, competition: `${league.competition} Preseason` } };
  if (lookalike === 'namesake') return { ...fixture, away: { ...away, full: namesakeOf(away)?.full ?? away.full } };
  // The second tier has its own series on venue A and none on venue B. It is the same match.
  const second = league.key === 'atp' && !fixture.lines && unit(keyOf(away.code, fixture.home.code, 'tier')) < 0.3;
  return second ? { ...fixture, league: challengerOf(league) } : fixture;
}
