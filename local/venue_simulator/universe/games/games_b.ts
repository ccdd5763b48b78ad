import { clockTime, DAY, easternDate, isoSeconds, longDay } from '../../core/eastern.ts';
import { keyOf, shuffled, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { Team } from '../leagues/index.ts';
import { listOnB } from '../listing/list_b.ts';
import { type MarketQuestionB, SPORTS_FEE } from '../listing/listing_b.ts';
import type { EventB, Moments, WireFields } from '../question.ts';
import { gameRulesB } from './game_rules_b.ts';

/** The probabilities and the result of a game, in the order of the ticker. 2 is the draw. */
export type GameResult = { chances(t: number): number[]; winner: number | 'split' };

/** Whether outcome `i` pays. A game without a winner pays half to each. */
const wonOnB = ({ winner }: GameResult, i: number): boolean | 'split' => (winner === 'split' ? winner : winner === i);

/** A game as venue B lists it. */
export function eventOnB(seed: number, fixture: Fixture, slug: string, end: GameResult, moments: Moments): EventB {
  const { league, start, scheduled, away, home } = fixture;
  const sides: readonly [Team, Team] = league.order === 'away' ? [away, home] : [home, away];
  const [first, second] = sides;
  const title = `${first.nick} vs. ${second.nick}`;
  // Outcome 0 may be the home or the away side.
  const zero = unit(keyOf(seed, slug), 22) < 0.45 ? 1 : 0;
  const shape = {
    seed,
    slug,
    title,
    description: gameRulesB(fixture, first, second, `${longDay(scheduled)} at ${clockTime(scheduled)} ET`),
    resolution: league.resolution,
    opened: moments.listed_b,
    end: league.endRule === 'week' ? start + 7 * DAY : start,
    series: league.bSeries,
    tags: league.tags,
    fee: SPORTS_FEE,
    tick: 100,
    start,
    sportsType: 'moneyline',
    profile: { spread: [0.3, 0.9], size: [120, 2200] },
    extra: gameFieldsOf(seed, fixture, slug, sides),
  } as const;
  if (league.ways === 3) {
    const questions = threeWayQuestions(fixture, slug, sides, end);
    return listOnB({ ...shape, negRisk: true }, shuffled(keyOf(seed, slug, 'order'), questions));
  }
  const { chances } = end;
  const outcomes = [sides[zero].nick, sides[1 - zero]?.nick ?? ''] as const;
  const fair = (t: number) => chances(t)[zero] ?? 0;
  const pays = wonOnB(end, zero);
  return listOnB({ ...shape, outcomes, negRisk: false }, [{ slug, question: title, group: '', fair, pays }]);
}

/** Three Yes/No markets: one per side, and the draw. */
function threeWayQuestions(
  { scheduled }: Fixture,
  slug: string,
  [first, second]: readonly [Team, Team],
  end: GameResult,
): MarketQuestionB[] {
  return [first, second, null].map((team, i) => ({
    slug: `${slug}-${team?.short ?? 'draw'}`,
    question: team
      ? `Will ${team.full} win on ${easternDate(scheduled)}?`
      : `Will ${first.full} vs. ${second.full} end in a draw?`,
    group: team?.full ?? `Draw (${first.full} vs. ${second.full})`,
    threshold: i,
    fair: (t) => end.chances(t)[i] ?? 0,
    pays: wonOnB(end, i),
  }));
}

/** The fields of venue B's event that describe the game. */
function gameFieldsOf(seed: number, fixture: Fixture, slug: string, sides: readonly Team[]): WireFields {
  const { league, start, scheduled, home } = fixture;
  return {
    eventDate: easternDate(scheduled),
    startTime: isoSeconds(start),
    gameId: 10_000 + (keyOf(seed, slug, 'gameId') % 89_999_999),
    teams: sides.map((one) => ({
      id: 100_000 + (keyOf(league.key, one.code) % 99_999),
      name: one.full,
      league: league.prefix,
      abbreviation: one.short,
      alias: one.nick,
      ordering: one === home ? 'home' : 'away',
    })),
    sport: {
      id: keyOf(league.key) % 200,
      sport: league.prefix,
      name: league.bName,
      resolution: league.resolution,
      ordering: league.order,
      tags: league.tags.map((tag) => tag[0]).join(','),
    },
  };
}
