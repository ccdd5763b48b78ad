import { DAY, easternDate, MINUTE } from '../../core/eastern.ts';
import { keyOf, pick, shuffled, unit } from '../../core/random.ts';
import { LEAGUES, type League, type Team } from '../leagues/index.ts';
import type { Fixture } from './fixture.ts';
import { leagueOn } from './preseason.ts';
import { NO_SPECIAL_CASE, specialCaseOf } from './special_cases.ts';

/**
 * The calendar of all games. Each day is a pure function of seed, league and day. Starts are spread
 * over the whole day, so that some game is in play at any time.
 */
export type Calendar = {
  seed: number;
  base: number;
  /** Number of listed games that are not over. */
  games: number;
  horizonDays: number;
  perDay: ReadonlyMap<string, number>;
};

const MAX_DAILY_SHARE = 0.7;
/** Leagues in which the same two teams can meet again within a day. */
const REMATCH_RULES: ReadonlySet<League['rules']> = new Set(['baseball', 'wnba', 'hockey', 'esports']);

export function calendarOf(seed: number, base: number, games: number): Calendar {
  const maxGames = LEAGUES.map((league) => Math.floor((league.teams.length / 2) * MAX_DAILY_SHARE));
  const capacity = maxGames.reduce((a, b) => a + b, 0);
  const horizonDays = Math.max(5, Math.ceil(games / capacity));
  const share = games / horizonDays / capacity;
  const perDay = new Map(
    LEAGUES.map((league, i) => [
      league.key,
      Math.min(maxGames[i] ?? 1, Math.max(1, Math.round((maxGames[i] ?? 1) * share))),
    ]),
  );
  return { seed, base, games, horizonDays, perDay };
}

/**
 * The games of one day (24 hours from base + day · 24 h). Day -1 holds the games in play at the
 * base time.
 */
export function fixturesOf(calendar: Calendar, day: number): Fixture[] {
  return LEAGUES.flatMap((league) => leagueFixtures(calendar, league, day));
}

/** The games of one league on one day. */
export function leagueFixtures(calendar: Calendar, league: League, day: number): Fixture[] {
  const before = leagueDay(calendar, league, day - 1);
  // The draw may repeat a pair on the morning after its night game. Both games would have the same
  // New York date, and tickers could not distinguish them.
  return leagueDay(calendar, league, day).filter(
    (game) => !before.some((last) => samePair(game, last) && onOneDate(game, last)),
  );
}

/** Compares the start and the listed date. A postponed game keeps its listed date. */
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
  // Two days share one draw. The first pairs meet again on the second day, as in a series. pairOf
  // draws the other pairs again.
  const round = Math.floor(day / 2);
  const secondDay = ((day % 2) + 2) % 2 === 1;
  const order = shuffled(keyOf(seed, league.key, 'round', round), league.teams);
  const rematches = REMATCH_RULES.has(league.rules) ? Math.ceil(count / 3) : 0;
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
    const special = specialCaseOf(keyOf(seed, league.key, 'odd', day, slot), league, pair[0], on, slot < rematches);
    const onTheDay = leagueOn(league, rounded - special.delayMs);
    const fixture: Fixture = {
      league: onTheDay,
      away: pair[0],
      home: special.opponentNamesake ?? pair[1],
      start: rounded,
      scheduled: rounded - special.delayMs,
      listed: rounded - calendar.horizonDays * DAY - pick(key, slot * 3 + 2, 6 * 60) * MINUTE,
      gameNo: null,
      second: false,
      on,
      fate: special.fate,
      // In the preseason every game is a preseason game, so it has no preseason lookalike.
      lookalike: special.lookalike === 'preseason' && onTheDay !== league ? null : special.lookalike,
      defect: special.defect,
      lines: special.lines,
    };
    fixtures.push(fixture);
    // A baseball doubleheader every third day: the same teams again four hours later, with lines of
    // its own.
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

/**
 * Teams of a slot. On the second day the pairs without a rematch swap partners, so that no team
 * plays twice on one day.
 */
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
