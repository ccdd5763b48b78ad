import { DAY, easternDate, HOUR, isoSeconds, MINUTE, tickerDate, tickerTime } from '../core/eastern.ts';
import { bell, keyOf, pick, unit } from '../core/random.ts';
import { drawWinner, gameChances } from './chances.ts';
import type { Fixture } from './fixture.ts';
import { eventA } from './games_a.ts';
import { eventOnB } from './games_b.ts';
import type { League, Team } from './leagues/index.ts';
import type { EventA, EventB, Leg, Moments, Question } from './question.ts';

export type { Fixture } from './fixture.ts';

/** Everything both venues say and do about one game. */
export function gameQuestion(seed: number, fixture: Fixture): Question {
  const { league, away, home, start } = fixture;
  const eventTicker = tickerOf(fixture);
  const slug = slugOf(seed, fixture);
  const key = keyOf(seed, 'game', eventTicker);
  // First as the ticker has it: away in US leagues, home in soccer. Outcome 2 is the draw.
  const sides = league.order === 'away' ? [away, home] : [home, away];
  const strength = (team: Team) => 0.5 * bell(keyOf(seed, league.key, team.code, 'strength'));
  const edge = sides.map((team) => strength(team) + (team === home ? 0.12 : 0));
  const base = league.ways === 3 ? [...edge.map((x) => x + 0.15), -0.25] : edge;
  const winner = drawWinner(key, base);
  const moments = momentsOf(fixture, key);
  const chances = gameChances(key, base, start, moments.ends, winner);
  const names: string[] =
    league.ways === 3 ? [...sides.map((team) => team.full), 'Draw'] : sides.map((team) => team.full);
  const a = fixture.on === 'b' ? null : eventA(seed, fixture, eventTicker, sides, chances, winner, moments);
  const b = fixture.on === 'a' ? null : eventOnB(seed, fixture, slug, sides, chances, winner, moments);
  const legs = a && b ? legsOf(names, sides, league, a, b) : [];
  return {
    key: eventTicker,
    family: 'moneyline',
    moments,
    a,
    b,
    legs,
    subject: `${league.key}:${[away.code, home.code].sort().join('-')}`,
  };
}

function tickerOf({ league, away, home, start }: Fixture): string {
  const codes = league.order === 'away' ? away.code + home.code : home.code + away.code;
  return `${league.series}-${tickerDate(start)}${league.rules === 'baseball' ? tickerTime(start) : ''}${codes}`;
}

function slugOf(seed: number, { league, away, home, start, second }: Fixture): string {
  const pair = league.order === 'away' ? `${away.short}-${home.short}` : `${home.short}-${away.short}`;
  const eastern = easternDate(start);
  const utc = isoSeconds(start).slice(0, 10);
  // A third of the night games carry the UTC date (venues.md B7).
  const night = utc !== eastern && unit(keyOf(seed, 'night', pair)) < 0.35;
  const noise = second ? `-${100 + pick(keyOf(seed, 'second', pair, eastern), 0, 900)}` : '';
  return `${league.prefix}-${pair}-${night ? utc : eastern}${noise}`;
}

function momentsOf({ league, start, listed }: Fixture, key: number): Moments {
  const ends = start + Math.round((league.gameMinutes + 14 * bell(key, 7)) * MINUTE);
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
    removed: Math.max(finalized, resolved) + 2 * DAY,
  };
}

/** Which contract of venue A pays with which token of venue B, one leg an outcome. */
function legsOf(names: readonly string[], sides: readonly Team[], league: League, a: EventA, b: EventB): Leg[] {
  return names.map((name, i): Leg => {
    const ticker = `${a.ticker}-${sides[i]?.code ?? 'TIE'}`;
    const slug = league.ways === 2 ? b.slug : `${b.slug}-${sides[i]?.short ?? 'draw'}`;
    const market = b.markets.find((one) => one.slug === slug);
    const index = league.ways === 2 ? market?.outcomes.indexOf(sides[i]?.nick ?? '') : 0;
    return { name, ticker, side: 'yes', token_id: market?.tokens[index ?? 0] ?? '' };
  });
}
