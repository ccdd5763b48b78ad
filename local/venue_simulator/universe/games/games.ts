import { easternDate, isoSeconds } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { Team } from '../leagues/index.ts';
import { linesOf } from '../lines/lines.ts';
import type { EventA, EventB, Leg, Lookalike, Question } from '../question.ts';
import { otherGameOnA } from './conflicting_games.ts';
import { eventA } from './games_a.ts';
import { eventOnB } from './games_b.ts';
import { playedGame } from './played_game.ts';
import { amendedOnA, amendedOnB, announcedAt, asFirstListed } from './postponed.ts';

/**
 * All questions about one game: its winner, its lines, its parts. With `only`, the listings of one
 * venue, which costs half as much.
 */
export function gameQuestions(
  seed: number,
  fixture: Fixture,
  only: 'a' | 'b' | null = null,
): { questions: Question[]; lookalikes: Lookalike[] } {
  const { fate } = fixture;
  const game = playedGame(seed, fixture);
  const { ticker: eventTicker, sides, moments, chances, winner } = game;
  const slug = slugOf(seed, fixture);
  const onA = (one: Fixture) => eventA(seed, otherGameOnA(one), eventTicker, chances, game.onA, moments);
  const onB = (one: Fixture) => eventOnB(seed, one, slug, game.onB, moments);
  const announced = announcedAt(fixture);
  const first = asFirstListed(fixture);
  const a =
    fixture.on === 'b' || only === 'b'
      ? null
      : announced
        ? amendedOnA(onA(first), onA(fixture), announced)
        : onA(fixture);
  const plain =
    fixture.on === 'a' || only === 'a'
      ? null
      : announced
        ? amendedOnB(onB(first), onB(fixture), announced)
        : onB(fixture);
  const subject = subjectOf(fixture);
  const lines = fixture.lines
    ? linesOf({ seed, fixture, sides, ticker: eventTicker, slug, moments, winner, chances, main: plain, subject, only })
    : null;
  const b = plain && lines ? { ...plain, markets: [...plain.markets, ...lines.inMain] } : plain;
  if (a?.milestone && lines) a.milestone.related_event_tickers = [eventTicker, ...lines.related];
  const legs = a && b && fixture.lookalike === null ? legsOf(fixture, sides, a, b) : [];
  const defect = fixture.defect;
  const lookalikes: Lookalike[] = [...(lines?.lookalikes ?? [])];
  if (a && b && fixture.lookalike) lookalikes.push({ venue_a: a.ticker, venue_b: b.slug, why: fixture.lookalike });
  const question: Question = {
    ...{ key: eventTicker, family: 'moneyline', moments, a, b, legs, subject, defect },
    settledDifferently: fate === 'played' ? null : fate,
    ...(announced ? { postponed: { announcedAt: announced, from: fixture.scheduled } } : {}),
  };
  return { questions: [question, ...(lines?.questions ?? [])], lookalikes };
}

/** The two sides in alphabetical order, the same for every game between them. */
export const subjectOf = ({ league, away, home }: Fixture): string =>
  `${league.key}:${[away.code, home.code].sort().join('-')}`;

/** The slug of the game on venue B. */
export function slugOf(seed: number, { league, away, home, scheduled, second }: Fixture): string {
  const pair = league.order === 'away' ? `${away.short}-${home.short}` : `${home.short}-${away.short}`;
  const eastern = easternDate(scheduled);
  const utc = isoSeconds(scheduled).slice(0, 10);
  // A third of the night games carry the UTC date (venues.md B7).
  const night = utc !== eastern && unit(keyOf(seed, 'night', pair)) < 0.35;
  const noise = second ? `-${100 + pick(keyOf(seed, 'second', pair, eastern), 0, 900)}` : '';
  return `${league.prefix}-${pair}-${night ? utc : eastern}${noise}`;
}

/**
 * The legs of a game, one per outcome: a contract of venue A and the token of venue B that pays
 * with it.
 */
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
