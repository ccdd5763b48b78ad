import { clockTime, DAY, easternDate, isoSeconds, longDay } from '../core/eastern.ts';
import { keyOf, pick, shuffled, unit } from '../core/random.ts';
import type { Fixture } from './fixture.ts';
import { gameRulesB } from './game_rules_b.ts';
import type { Team } from './leagues/index.ts';
import { eventB, marketB, negRiskIdOf, SPORTS_FEE } from './listing_b.ts';
import type { EventB, MarketB, Moments } from './question.ts';

/** A game as venue B lists it. */
export function eventOnB(
  seed: number,
  fixture: Fixture,
  slug: string,
  chances: (t: number) => number[],
  winner: number | 'split',
  moments: Moments,
): EventB {
  const { league, start, scheduled, away, home } = fixture;
  const sides: readonly [Team, Team] = league.order === 'away' ? [away, home] : [home, away];
  const [first, second] = sides;
  const title = `${first.nick} vs. ${second.nick}`;
  const when = `${longDay(scheduled)} at ${clockTime(scheduled)} ET`;
  const key = keyOf(seed, slug);
  const opened = moments.listed_b;
  const end = league.endRule === 'week' ? start + 7 * DAY : start;
  const spread = () => 0.3 + unit(key, 21) * 0.9;
  const common = {
    resolution: league.resolution,
    end,
    opened,
    fee: SPORTS_FEE,
    tick: 100,
    start,
    sportsType: 'moneyline',
  };
  const description = gameRulesB(fixture, first, second, when);
  let markets: MarketB[];
  if (league.ways === 2) {
    // Which team is outcome 0 says nothing about who plays at home.
    const swapped = unit(key, 22) < 0.45;
    const zero = swapped ? 1 : 0;
    const outcomes = [sides[zero]?.nick ?? '', sides[1 - zero]?.nick ?? ''] as const;
    const quoting = {
      key,
      fair: (t: number) => chances(t)[zero] ?? 0,
      halfSpread: spread(),
      scale: 120 + pick(key, 23, 2200),
    };
    const shape = { ...common, slug, question: title, description, outcomes, group: '', threshold: 0, negRiskId: null };
    markets = [marketB(seed, shape, quoting, winner === 'split' ? winner : winner === zero ? 0 : 1)];
  } else {
    const negRiskId = negRiskIdOf(seed, slug);
    const all = [first, second, null].map((team, i): MarketB => {
      const own = keyOf(seed, slug, i);
      const quoting = {
        key: own,
        fair: (t: number) => chances(t)[i] ?? 0,
        halfSpread: 0.3 + unit(own, 21) * 0.9,
        scale: 120 + pick(own, 23, 2200),
      };
      const shape = {
        ...common,
        slug: `${slug}-${team?.short ?? 'draw'}`,
        question: team
          ? `Will ${team.full} win on ${easternDate(scheduled)}?`
          : `Will ${first.full} vs. ${second.full} end in a draw?`,
        description,
        outcomes: ['Yes', 'No'] as const,
        group: team?.full ?? `Draw (${first.full} vs. ${second.full})`,
        threshold: i,
        negRiskId,
      };
      return marketB(seed, shape, quoting, winner === 'split' ? winner : i === winner ? 0 : 1);
    });
    markets = shuffled(keyOf(seed, slug, 'order'), all);
  }
  const gameId = 10_000 + (keyOf(seed, slug, 'gameId') % 89_999_999);
  const team = (one: Team, ordering: 'home' | 'away') => ({
    id: 100_000 + (keyOf(league.key, one.code) % 99_999),
    name: one.full,
    league: league.prefix,
    abbreviation: one.short,
    alias: one.nick,
    ordering,
  });
  return eventB(
    seed,
    {
      slug,
      title,
      description,
      resolution: league.resolution,
      opened,
      end,
      negRisk: league.ways === 3,
      augmented: false,
      series: league.bSeries,
      tags: league.tags,
      extra: {
        eventDate: easternDate(scheduled),
        startTime: isoSeconds(start),
        gameId,
        teams: sides.map((one) => team(one, one === fixture.home ? 'home' : 'away')),
        sport: {
          id: keyOf(league.key) % 200,
          sport: league.prefix,
          name: league.bName,
          resolution: league.resolution,
          ordering: league.order,
          tags: league.tags.map((tag) => tag[0]).join(','),
        },
      },
    },
    markets,
  );
}
