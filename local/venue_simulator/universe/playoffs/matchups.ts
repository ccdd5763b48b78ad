import type { Fixture } from '../calendar/fixture.ts';
import { type Calendar, fixturesOf } from '../calendar/schedule.ts';
import { type League, leagueBy, type Team } from '../leagues/index.ts';

/**
 * The leagues in their playoffs, with venue A's series tickers for the winner and for the margin.
 */
export const PLAYOFF_SERIES = [
  { league: 'nba', series: 'KXNBASERIES', spread: 'KXNBASERIESSPREAD' },
  { league: 'nhl', series: 'KXNHLSERIES', spread: 'KXNHLSERIESSPREAD' },
] as const;
const MATCHUPS_PER_LEAGUE = 3;

/** A playoff series of two teams, first to four wins. `at` is its number within the league. */
export type Matchup = { league: League; low: Team; high: Team; at: number; series: string; spread: string };

/**
 * The first pairs of teams that meet in the next days. A team plays in one playoff series at a
 * time.
 */
export function matchupsOf(calendar: Calendar): Matchup[] {
  const games = [1, 2].flatMap((day) => fixturesOf(calendar, day)).filter((game) => game.on === 'both');
  return PLAYOFF_SERIES.flatMap(({ league: key, series, spread }) => {
    const league = leagueBy(key);
    const busy = new Set<string>();
    const pairs = games.filter(({ league: its, away, home }) => {
      if (its.key !== key || busy.has(away.code) || busy.has(home.code) || busy.size >= 2 * MATCHUPS_PER_LEAGUE)
        return false;
      busy.add(away.code).add(home.code);
      return true;
    });
    return pairs.map(({ away, home }, at) => ({ league, low: away, high: home, at, series, spread }));
  });
}

export type GameNumbers = ReadonlyMap<string, number>;

export const gameKey = ({ league, away, home, start }: Fixture): string =>
  `${league.key}:${away.code}:${home.code}:${start}`;

/**
 * The number of each game in its playoff series. At the base time a series has played some games
 * already. It ends within nine days.
 */
export function gameNumbersOf(calendar: Calendar): GameNumbers {
  const numbers = new Map<string, number>();
  const games = Array.from({ length: 10 }, (_, day) => fixturesOf(calendar, day)).flat();
  for (const { league, low, high, at } of matchupsOf(calendar)) {
    const own = games
      .filter(
        (game) => game.league.key === league.key && [game.away, game.home].every((one) => one === low || one === high),
      )
      .sort((one, other) => one.start - other.start);
    for (const [i, game] of own.slice(0, 6 - at).entries()) numbers.set(gameKey(game), 2 + at + i);
  }
  return numbers;
}
