import { DAY, easternDate, MINUTE } from '../../core/eastern.ts';
import { keyOf, pick, shuffled, unit } from '../../core/random.ts';
import { LEAGUES, type League, type Team } from '../leagues/index.ts';
import type { Fixture } from './fixture.ts';
import { leagueOn } from './preseason.ts';
import { NO_SPECIAL_CASE, specialCaseOf } from './special_cases.ts';

/**
 * Who plays whom and when, for ever: day by day from the base time, each day a pure function of (seed, league, day).
 * Starts are spread over the whole day, so that some game of some league is always being played.
 */
export type Calendar = {
  seed: number;
  base: number;
  /** How many games are listed and not over at any time. */
  games: number;
  horizonDays: number;
  perDay: ReadonlyMap<string, number>;
};

const MAX_PER_DAY = 0.7;
/** Where the same two meet again within a day. */
const REMATCHES: ReadonlySet<League['rules']> = new Set(['baseball', 'wnba', 'hockey', 'esports']);

export function calendarOf(seed: number, base: number, games: number): Calendar {
  const room = LEAGUES.map((league) => Math.floor((league.teams.length / 2) * MAX_PER_DAY));
  const capacity = room.reduce((a, b) => a + b, 0);
  const horizonDays = Math.max(5, Math.ceil(games / capacity));
  const share = games / horizonDays / capacity;
  const perDay = new Map(
    LEAGUES.map((league, i) => [league.key, Math.min(room[i] ?? 1, Math.max(1, Math.round((room[i] ?? 1) * share)))]),
  );
  return { seed, base, games, horizonDays, perDay };
}

/** The games of one day (24 hours from base + day · 24 h); day -1 holds those already being played at the base time. */
export function fixturesOf(calendar: Calendar, day: number): Fixture[] {
  return LEAGUES.flatMap((league) => {
    const before = leagueDay(calendar, league, day - 1);
    // A draw may send the same two out again the morning after a night game: on one date of New York, which no ticker tells apart.
    return leagueDay(calendar, league, day).filter(
      (game) => !before.some((last) => samePair(game, last) && onOneDate(game, last)),
    );
  });
}

/** By the start or by the day under which the venues name it: a postponed game keeps the old one. */
function onOneDate(game: Fixture, last: Fixture): boolean {
  const dates = [last.start, last.scheduled].map(easternDate);
  return [game.start, game.scheduled].some((at) => dates.includes(easternDate(at)));
}

function samePair(one: Fixture, other: Fixture): boolean {
  return (one.home === other.home && one.away === other.away) || (one.home === other.away && one.away === other.home);
}

function leagueDay(calendar: Calendar, league: League, day: number): Fixture[] {
  const { seed, base } = calendar;
  const count = calendar.perDay.get(league.key) ?? 1;
  // Two days share one draw: the first pairs meet again a day later (a series), the others are drawn anew below.
  const round = Math.floor(day / 2);
  const secondDay = ((day % 2) + 2) % 2 === 1;
  const order = shuffled(keyOf(seed, league.key, 'round', round), league.teams);
  const rematches = REMATCHES.has(league.rules) ? Math.ceil(count / 3) : 0;
  const key = keyOf(seed, league.key, 'day', day);
  const fixtures: Fixture[] = [];
  for (let slot = 0; slot < count; slot++) {
    const pair = pairOf(order, slot, slot >= rematches && secondDay, rematches, count);
    if (!pair) continue;
    const phase = unit(keyOf(seed, league.key, 'phase', round), slot);
    const start =
      base + day * DAY + Math.round((((slot + 0.1 + 0.8 * phase) / count) * DAY) / (5 * MINUTE)) * 5 * MINUTE;
    const rounded = Math.round(start / (5 * MINUTE)) * 5 * MINUTE;
    const lone = unit(key, slot * 3 + 1);
    const on = lone < 0.04 ? 'a' : lone < 0.08 ? 'b' : 'both';
    const odd = specialCaseOf(keyOf(seed, league.key, 'odd', day, slot), league, pair[0], on, slot < rematches);
    const onTheDay = leagueOn(league, rounded - odd.late);
    const fixture: Fixture = {
      league: onTheDay,
      away: pair[0],
      home: odd.kin ?? pair[1],
      start: rounded,
      scheduled: rounded - odd.late,
      listed: rounded - calendar.horizonDays * DAY - pick(key, slot * 3 + 2, 6 * 60) * MINUTE,
      gameNo: null,
      second: false,
      on,
      fate: odd.fate,
      // In a preseason every game is of it, and none is taken for one that counts.
      lookalike: odd.lookalike === 'preseason' && onTheDay !== league ? null : odd.lookalike,
      caution: odd.caution,
      lines: odd.lines,
    };
    fixtures.push(fixture);
    // A baseball doubleheader every third day: the same teams again, four hours later, with lines of their own.
    if (league.rules === 'baseball' && slot === 1 && ((day % 3) + 3) % 3 === 1) {
      const later = rounded + 240 * MINUTE;
      fixtures.push({
        ...fixture,
        start: later,
        scheduled: later,
        second: true,
        on: 'both',
        ...NO_SPECIAL_CASE,
        lines: true,
      });
    }
  }
  return fixtures;
}

/** Teams of a slot; on the second day those without a rematch swap partners, so that nobody plays twice a day. */
function pairOf(
  order: readonly Team[],
  slot: number,
  redraw: boolean,
  rematches: number,
  count: number,
): [Team, Team] | null {
  const a = order[2 * slot];
  const free = count - rematches;
  const partner = redraw && free > 1 ? rematches + ((slot - rematches + 1) % free) : slot;
  const b = order[2 * partner + 1];
  return a && b ? [a, b] : null;
}
