import { DAY, HOUR, MINUTE, tickerDate, tickerTime } from '../../core/eastern.ts';
import { bell, keyOf, pick, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { drawWinner, fieldChances, gameChances } from '../chances.ts';
import type { Team } from '../leagues/index.ts';
import type { Moments } from '../question.ts';
import { otherGameOnA } from './conflicting_games.ts';
import type { GamePayout } from './games_a.ts';
import type { GameResult } from './games_b.ts';

/** The course and the result of a game, independent of any listing. */
export type PlayedGame = {
  /** Event ticker of venue A. */
  ticker: string;
  /** In the order of the ticker: away first in US leagues, home first in soccer. */
  sides: readonly [Team, Team];
  moments: Moments;
  chances: (t: number) => number[];
  /** 0, 1, or 2 for a draw. Also drawn for a game that is not played. */
  winner: number;
  onA: GamePayout;
  onB: GameResult;
};

export function playedGame(seed: number, fixture: Fixture): PlayedGame {
  const { league, away, home, start, fate } = fixture;
  const ticker = tickerOf(fixture);
  const key = keyOf(seed, 'game', ticker);
  const sides: readonly [Team, Team] = league.order === 'away' ? [away, home] : [home, away];
  const strength = (team: Team) => 0.5 * bell(keyOf(seed, league.key, team.code, 'strength'));
  const edge = sides.map((team) => strength(team) + (team === home ? 0.12 : 0));
  const base = league.ways === 3 ? [...edge.map((x) => x + 0.15), -0.25] : edge;
  const winner = drawWinner(key, base);
  const moments = momentsOf(fixture, key);
  // The price of a game that is not played has no in-play moves.
  const chances =
    fate === 'played' || fate === 'tie' ? gameChances(key, base, start, moments.ends, winner) : fieldChances(key, base);
  const onA = fate === 'played' ? winner : fate === 'tie' ? ('tie' as const) : chances(start);
  return {
    ticker,
    sides,
    moments,
    chances,
    winner,
    onA,
    onB: { chances, winner: fate === 'played' ? winner : 'split' },
  };
}

/** The game's event ticker of venue A. */
export function tickerOf(fixture: Fixture): string {
  const { league, away, home, scheduled } = fixture;
  const awayFirst = (league.order === 'away') !== (league.turned === true);
  const codes = awayFirst ? away.code + home.code : home.code + away.code;
  const timed = league.rules === 'baseball' || league.timed === true;
  return `${otherGameOnA(fixture).league.series}-${tickerDate(scheduled)}${timed ? tickerTime(scheduled) : ''}${codes}`;
}

function momentsOf({ league, start, listed, fate }: Fixture, key: number): Moments {
  const played = fate === 'played' || fate === 'tie';
  // Venue A waits two days for a game that is not played.
  const ends = played
    ? start + Math.round((league.gameMinutes + (league.gameMinutes / 12) * bell(key, 7)) * MINUTE)
    : start + 2 * DAY;
  const closed = ends + 90_000 + pick(key, 8, 120_000);
  const determined = closed + 60_000 + pick(key, 9, 240_000);
  const stopped = ends + 60_000 + pick(key, 10, 180_000);
  const proposed = stopped + 3 * MINUTE + pick(key, 11, 5 * MINUTE);
  const finalized = determined + league.settlementSeconds * 1000;
  const resolved = proposed + 15 * MINUTE;
  return {
    listed_a: listed,
    listed_b: listed + Math.round((unit(key, 12) - 0.35) * 4 * HOUR),
    start,
    ends,
    closed_a: closed,
    determined_a: determined,
    finalized_a: finalized,
    stopped_b: stopped,
    proposed_b: proposed,
    resolved_b: resolved,
    // A restarted universe lists the last four days only. A game that waited two days stays listed
    // for one more day.
    removed: Math.max(finalized, resolved) + (played ? 2 : 1) * DAY,
  };
}
