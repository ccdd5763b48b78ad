import { DAY, HOUR, MINUTE, tickerDate, tickerTime } from '../../core/eastern.ts';
import { bell, keyOf, pick, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { drawWinner, fieldChances, gameChances } from '../chances.ts';
import type { Team } from '../leagues/index.ts';
import type { Moments } from '../question.ts';
import { otherGameOnA } from './conflicting_games.ts';
import type { GamePay } from './games_a.ts';
import type { GameEnd } from './games_b.ts';

/** How a game goes and ends, before anybody has listed it: the same for the games to come and for those of past seasons. */
export type PlayedGame = {
  /** Venue A's event. */
  ticker: string;
  /** First as the ticker has it: away in US leagues, home in soccer. */
  sides: readonly [Team, Team];
  moments: Moments;
  chances: (t: number) => number[];
  /** 2 is the draw; drawn also where no game is played. */
  winner: number;
  onA: GamePay;
  onB: GameEnd;
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
  // What is never played has no play in its prices either.
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

function tickerOf(fixture: Fixture): string {
  const { league, away, home, scheduled } = fixture;
  const awayFirst = (league.order === 'away') !== (league.turned === true);
  const codes = awayFirst ? away.code + home.code : home.code + away.code;
  const timed = league.rules === 'baseball' || league.timed === true;
  return `${otherGameOnA(fixture).league.series}-${tickerDate(scheduled)}${timed ? tickerTime(scheduled) : ''}${codes}`;
}

function momentsOf({ league, start, listed, fate }: Fixture, key: number): Moments {
  const played = fate === 'played' || fate === 'tie';
  // What is not played stops two days later: that is how long venue A waits.
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
    // A restarted universe looks four days back, so what waited two days is shown for one more only.
    removed: Math.max(finalized, resolved) + (played ? 2 : 1) * DAY,
  };
}
