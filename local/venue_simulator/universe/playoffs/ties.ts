import type { Fixture } from '../calendar/fixture.ts';
import { type Calendar, fixturesOf } from '../calendar/schedule.ts';
import { type League, leagueBy, type Team } from '../leagues/index.ts';

/** Leagues that are in their playoffs, with venue A's series of who wins a tie and by how many games. */
export const SERIES = [
  { league: 'nba', series: 'KXNBASERIES', spread: 'KXNBASERIESSPREAD' },
  { league: 'nhl', series: 'KXNHLSERIES', spread: 'KXNHLSERIESSPREAD' },
] as const;
const EACH = 3;

/** Two teams that meet until one has won four times; `at` counts the league's ties. */
export type Tie = { league: League; low: Team; high: Team; at: number; series: string; spread: string };

/** A team plays one series at a time; of those that meet in the next days, the first few are in one. */
export function tiesOf(calendar: Calendar): Tie[] {
  const games = [1, 2].flatMap((day) => fixturesOf(calendar, day)).filter((game) => game.on === 'both');
  return SERIES.flatMap(({ league: key, series, spread }) => {
    const league = leagueBy(key);
    const busy = new Set<string>();
    const pairs = games.filter(({ league: its, away, home }) => {
      if (its.key !== key || busy.has(away.code) || busy.has(home.code) || busy.size >= 2 * EACH) return false;
      busy.add(away.code).add(home.code);
      return true;
    });
    return pairs.map(({ away, home }, at) => ({ league, low: away, high: home, at, series, spread }));
  });
}

export type GameNumbers = ReadonlyMap<string, number>;

export const gameKey = ({ league, away, home, start }: Fixture): string =>
  `${league.key}:${away.code}:${home.code}:${start}`;

/** A series is some games old at the base time and over within nine days. */
export function numbersOf(calendar: Calendar): GameNumbers {
  const numbers = new Map<string, number>();
  const games = Array.from({ length: 10 }, (_, day) => fixturesOf(calendar, day)).flat();
  for (const { league, low, high, at } of tiesOf(calendar)) {
    const own = games
      .filter(
        (game) => game.league.key === league.key && [game.away, game.home].every((one) => one === low || one === high),
      )
      .sort((one, other) => one.start - other.start);
    for (const [i, game] of own.slice(0, 6 - at).entries()) numbers.set(gameKey(game), 2 + at + i);
  }
  return numbers;
}
