import {
  clockTime,
  DAY,
  easternDate,
  easternParts,
  HOUR,
  isoSeconds,
  longDay,
  MINUTE,
  shortDate,
  shortDay,
  tickerDate,
  tickerTime,
} from '../core/eastern.ts';
import { uuidOf } from '../core/ids.ts';
import { bell, keyOf, pick, shuffled, unit } from '../core/random.ts';
import { drawWinner, gameChances } from './chances.ts';
import { gameRulesA, gameRulesB } from './game_rules.ts';
import type { League, Team } from './leagues/index.ts';
import { eventFieldsA, marketFieldsA } from './listing_a.ts';
import { eventB, marketB, negRiskIdOf, SPORTS_FEE } from './listing_b.ts';
import type { ContractA, EventA, EventB, Leg, MarketB, Moments, Question } from './question.ts';

export type Fixture = {
  league: League;
  away: Team;
  home: Team;
  start: number;
  /** When venue A lists it. */
  listed: number;
  /** Second game of a doubleheader. */
  second: boolean;
  on: 'both' | 'a' | 'b';
};

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

function eventA(
  seed: number,
  fixture: Fixture,
  ticker: string,
  sides: readonly Team[],
  chances: (t: number) => number[],
  winner: number,
  moments: Moments,
): EventA {
  const { league, away, home, start } = fixture;
  const [first, second] = sides as [Team, Team];
  const title = `${first.city} ${league.title} ${second.city}`;
  const sub =
    league.rules === 'wnba'
      ? `${title} (${shortDay(start)})`
      : `${first.code} ${league.title} ${second.code} (${shortDay(start)})`;
  const outcomes = league.ways === 3 ? [...sides, null] : [...sides];
  const contracts = outcomes.map((team, i): ContractA => {
    const code = team?.code ?? 'TIE';
    const yes = team?.city ?? 'Tie';
    const key = keyOf(seed, ticker, code);
    const fields = marketFieldsA(
      {
        ticker: `${ticker}-${code}`,
        event: ticker,
        title: marketTitle(league, title, yes),
        yes,
        rules: gameRulesA(league, title, yes, shortDate(start), `${clockTime(start)} ${easternParts(start).zone}`),
        open: moments.listed_a,
        close: start + league.closeHours * HOUR,
        expected: start + 3 * HOUR,
        occurrence: start + 3 * HOUR,
        earlyClose: 'This market will close and expire after a winner is declared.',
        settlementSeconds: league.settlementSeconds,
        strike: {
          type: 'structured',
          custom: { [league.targetKey]: team ? uuidOf('team', league.key, team.code) : uuidOf('tie') },
        },
      },
      key,
    );
    const quoting = {
      key,
      fair: (t: number) => chances(t)[i] ?? 0,
      halfSpread: 0.3 + unit(key, 1) * 0.9,
      scale: 150 + pick(key, 2, 2500),
      tick: 100,
    };
    return {
      ticker: `${ticker}-${code}`,
      fields,
      quoting,
      pays: i === winner ? 'yes' : 'no',
      expirationValue: outcomes[winner]?.city ?? 'Tie',
    };
  });
  return {
    ticker,
    series: league.series,
    fields: eventFieldsA({
      ticker,
      series: league.series,
      title,
      sub,
      exclusive: true,
      metadata: { competition: league.competition, competition_scope: 'Game' },
      sources: league.sources,
      category: 'Sports',
      updated: moments.listed_a,
    }),
    contracts: shuffled(keyOf(seed, ticker, 'order'), contracts),
    milestone: {
      category: 'Sports',
      details: {
        away_team_id: uuidOf('team', league.key, away.code),
        home_team_id: uuidOf('team', league.key, home.code),
        league: league.bName,
        status: 'created',
      },
      end_date: null,
      id: uuidOf(seed, 'milestone', ticker),
      last_updated_ts: new Date(moments.listed_a).toISOString(),
      notification_message: 'Who will win?',
      primary_event_tickers: [ticker],
      related_event_tickers: [ticker],
      source_id: uuidOf(seed, 'source', ticker),
      start_date: isoSeconds(start),
      title,
      type: league.milestone,
    },
  };
}

function marketTitle(league: League, title: string, yes: string): string {
  if (league.rules === 'wnba') return `${title} women's Pro Basketball game: ${yes} wins?`;
  if (league.key === 'nfl') return `Will ${yes} win the ${title} Pro Football game?`;
  return `${title} Winner?`;
}

function eventOnB(
  seed: number,
  fixture: Fixture,
  slug: string,
  sides: readonly Team[],
  chances: (t: number) => number[],
  winner: number,
  moments: Moments,
): EventB {
  const { league, start, second: doubleheader } = fixture;
  const [first, second] = sides as [Team, Team];
  const title = `${first.nick} vs. ${second.nick}`;
  const when = `${longDay(start)} at ${clockTime(start)} ET`;
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
  const description = gameRulesB(league, first, second, when, doubleheader);
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
    markets = [marketB(seed, shape, quoting, winner === zero ? 0 : 1)];
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
          ? `Will ${team.full} win on ${easternDate(start)}?`
          : `Will ${first.full} vs. ${second.full} end in a draw?`,
        description,
        outcomes: ['Yes', 'No'] as const,
        group: team?.full ?? `Draw (${first.full} vs. ${second.full})`,
        threshold: i,
        negRiskId,
      };
      return marketB(seed, shape, quoting, i === winner ? 0 : 1);
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
        eventDate: easternDate(start),
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
