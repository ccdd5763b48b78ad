import { DAY, easternDate, HOUR, isoSeconds, MINUTE, tickerDate, tickerTime } from '../../core/eastern.ts';
import { bell, keyOf, pick, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { drawWinner, fieldChances, gameChances } from '../chances.ts';
import type { Team } from '../leagues/index.ts';
import { linesOf } from '../lines/lines.ts';
import type { EventA, EventB, Leg, Lookalike, Moments, Question } from '../question.ts';
import { eventA } from './games_a.ts';
import { otherGameOnA } from './games_apart.ts';
import { eventOnB } from './games_b.ts';
import { amendedOnA, amendedOnB, asFirstTold, toldOf } from './postponed.ts';

/** Everything both venues say and do about one game: who wins it, its lines, its parts. */
export function gameQuestions(seed: number, fixture: Fixture): { questions: Question[]; lookalikes: Lookalike[] } {
  const { league, away, home, start, fate } = fixture;
  const eventTicker = tickerOf(fixture);
  const slug = slugOf(seed, fixture);
  const key = keyOf(seed, 'game', eventTicker);
  // First as the ticker has it: away in US leagues, home in soccer. Outcome 2 is the draw.
  const sides: readonly [Team, Team] = league.order === 'away' ? [away, home] : [home, away];
  const strength = (team: Team) => 0.5 * bell(keyOf(seed, league.key, team.code, 'strength'));
  const edge = sides.map((team) => strength(team) + (team === home ? 0.12 : 0));
  const base = league.ways === 3 ? [...edge.map((x) => x + 0.15), -0.25] : edge;
  const winner = drawWinner(key, base);
  const moments = momentsOf(fixture, key);
  // What is never played has no play in its prices either.
  const chances =
    fate === 'played' || fate === 'tie' ? gameChances(key, base, start, moments.ends, winner) : fieldChances(key, base);
  const pays = fate === 'played' ? winner : fate === 'tie' ? ('tie' as const) : chances(start);
  const end = { chances, winner: fate === 'played' ? winner : ('split' as const) };
  const onA = (one: Fixture) => eventA(seed, otherGameOnA(one), eventTicker, chances, pays, moments);
  const onB = (one: Fixture) => eventOnB(seed, one, slug, end, moments);
  const told = toldOf(fixture);
  const first = asFirstTold(fixture);
  const a = fixture.on === 'b' ? null : told ? amendedOnA(onA(first), onA(fixture), told) : onA(fixture);
  const plain = fixture.on === 'a' ? null : told ? amendedOnB(onB(first), onB(fixture), told) : onB(fixture);
  const subject = subjectOf(fixture);
  const lined =
    fixture.lines && plain
      ? linesOf({ seed, fixture, sides, ticker: eventTicker, slug, moments, winner, chances, main: plain, subject })
      : null;
  const b = plain && lined ? { ...plain, markets: [...plain.markets, ...lined.inMain] } : plain;
  if (a?.milestone && lined) a.milestone.related_event_tickers = [eventTicker, ...lined.related];
  const legs = a && b && fixture.apart === null ? legsOf(fixture, sides, a, b) : [];
  const caution = fixture.caution;
  const lookalikes: Lookalike[] = [...(lined?.lookalikes ?? [])];
  if (a && b && fixture.apart) lookalikes.push({ venue_a: a.ticker, venue_b: b.slug, why: fixture.apart });
  const game: Question = {
    ...{ key: eventTicker, family: 'moneyline', moments, a, b, legs, subject, caution },
    apart: fate === 'played' ? null : fate,
    ...(told ? { postponed: { told, from: fixture.scheduled } } : {}),
  };
  return { questions: [game, ...(lined?.questions ?? [])], lookalikes };
}

/** The two sides, whoever is at home and whenever they meet. */
export const subjectOf = ({ league, away, home }: Fixture): string =>
  `${league.key}:${[away.code, home.code].sort().join('-')}`;

function tickerOf(fixture: Fixture): string {
  const { league, away, home, scheduled } = fixture;
  const awayFirst = (league.order === 'away') !== (league.turned === true);
  const codes = awayFirst ? away.code + home.code : home.code + away.code;
  const timed = league.rules === 'baseball' || league.timed === true;
  return `${otherGameOnA(fixture).league.series}-${tickerDate(scheduled)}${timed ? tickerTime(scheduled) : ''}${codes}`;
}

function slugOf(seed: number, { league, away, home, scheduled, second }: Fixture): string {
  const pair = league.order === 'away' ? `${away.short}-${home.short}` : `${home.short}-${away.short}`;
  const eastern = easternDate(scheduled);
  const utc = isoSeconds(scheduled).slice(0, 10);
  // A third of the night games carry the UTC date (venues.md B7).
  const night = utc !== eastern && unit(keyOf(seed, 'night', pair)) < 0.35;
  const noise = second ? `-${100 + pick(keyOf(seed, 'second', pair, eastern), 0, 900)}` : '';
  return `${league.prefix}-${pair}-${night ? utc : eastern}${noise}`;
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

/** Which contract of venue A pays with which token of venue B, one leg an outcome. */
function legsOf({ league }: Fixture, sides: readonly Team[], a: EventA, b: EventB): Leg[] {
  const names = [...sides.map((team) => team.full), ...(league.ways === 3 ? ['Draw'] : [])];
  return names.map((name, i): Leg => {
    const ticker = `${a.ticker}-${sides[i]?.code ?? 'TIE'}`;
    const slug = league.ways === 2 ? b.slug : `${b.slug}-${sides[i]?.short ?? 'draw'}`;
    const market = b.markets.find((one) => one.slug === slug);
    const index = league.ways === 2 ? market?.outcomes.indexOf(sides[i]?.nick ?? '') : 0;
    return { name, ticker, side: 'yes', token_id: market?.tokens[index ?? 0] ?? '' };
  });
}
