import type { Fixture } from '../calendar/fixture.ts';
import { NO_SPECIAL_CASE } from '../calendar/special_cases.ts';
import type { Team } from '../leagues/index.ts';
import { doublesOf } from '../leagues/persons.ts';
import type { Question } from '../question.ts';
import { gameQuestions, subjectOf } from './games.ts';

/**
 * A doubles match of the players of the day's first two men's matches, at the hour of the first.
 * Its family names look like those of a singles match.
 */
export function doublesQuestions(seed: number, fixtures: readonly Fixture[]): Question[] {
  const [one, other] = fixtures.filter(
    ({ league, on, lookalike }) => league.key === 'atp' && on === 'both' && !lookalike,
  );
  if (!one || !other) return [];
  const fixture: Fixture = {
    ...one,
    ...NO_SPECIAL_CASE,
    league: doublesOf(one.league),
    away: doublesTeam(one.away, other.away),
    home: doublesTeam(one.home, other.home),
    start: one.scheduled,
    on: 'a',
  };
  return gameQuestions(seed, fixture).questions.map((question) => ({
    ...question,
    family: 'doubles',
    subject: subjectOf(one),
  }));
}

function doublesTeam(one: Team, other: Team): Team {
  return {
    code: one.code + other.code,
    city: `${one.city}/${other.city}`,
    full: `${one.full} / ${other.full}`,
    nick: `${one.nick} / ${other.nick}`,
    short: one.short + other.short,
  };
}
