import { keyOf, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { womenOf } from '../leagues/college.ts';
import { challengerOf, kinOf } from '../leagues/persons.ts';

/** A game in venue A's terms: where the two venues list different games under the same names, the other one. */
export function otherGameOnA(fixture: Fixture): Fixture {
  const { lookalike, league, away } = fixture;
  if (lookalike === 'women') return { ...fixture, league: womenOf(league) };
  // Football and the others write it into the competition's name ("Pro Football Preseason").
  if (lookalike === 'preseason')
    return { ...fixture, league: { ...league, competition: `${league.competition} Preseason` } };
  if (lookalike === 'namesake') return { ...fixture, away: { ...away, full: kinOf(away)?.full ?? away.full } };
  // The second tier has a series of its own on venue A and none on venue B: the same match all the same.
  const second = league.key === 'atp' && !fixture.lines && unit(keyOf(away.code, fixture.home.code, 'tier')) < 0.3;
  return second ? { ...fixture, league: challengerOf(league) } : fixture;
}
