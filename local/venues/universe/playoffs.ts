import { DAY, easternParts, HOUR } from '../core/eastern.ts';
import { uuidOf } from '../core/ids.ts';
import { bell, keyOf, pick, unit } from '../core/random.ts';
import { drawWinner, fieldChances } from './chances.ts';
import { type League, leagueBy, type Team } from './leagues/index.ts';
import { eventFieldsA, marketFieldsA } from './listing_a.ts';
import { eventB, marketB, SPORTS_FEE, slugText } from './listing_b.ts';
import { longMoments } from './long_moments.ts';
import type { ContractA, EventA, EventB, Leg, MarketB, Moments, Question } from './question.ts';
import { type Calendar, fixturesOf } from './schedule.ts';

/**
 * Playoff series: who goes on, on both venues, and what only looks like it: how many games it takes, by how many it is won. The single
 * games of the same two teams stand beside them.
 */
export const SERIES = [
  { league: 'nba', series: 'KXNBASERIES', spread: 'KXNBASERIESSPREAD' },
  { league: 'nhl', series: 'KXNHLSERIES', spread: 'KXNHLSERIESSPREAD' },
] as const;
const EACH = 3;

export function playoffQuestions(seed: number, base: number, calendar: Calendar): Question[] {
  const games = [1, 2].flatMap((day) => fixturesOf(calendar, day)).filter((game) => game.on === 'both');
  return SERIES.flatMap(({ league, series, spread }) => {
    const of = leagueBy(league);
    // A team plays one series at a time; of those that meet in the next days, the first few are in one.
    const busy = new Set<string>();
    const pairs = games.filter(({ league: its, away, home }) => {
      if (its !== of || busy.has(away.code) || busy.has(home.code) || busy.size >= 2 * EACH) return false;
      busy.add(away.code).add(home.code);
      return true;
    });
    return pairs.flatMap(({ away, home }, at) =>
      tieOf({ seed, base, league: of, low: away, high: home, at, series, spread }),
    );
  });
}

type Tie = {
  seed: number;
  base: number;
  league: League;
  low: Team;
  high: Team;
  at: number;
  series: string;
  spread: string;
};

function tieOf(tie: Tie): Question[] {
  const { seed, base, league, low, high, at } = tie;
  const key = keyOf(seed, 'series', league.key, low.code, high.code);
  const lean = [low, high].map((team) => 0.6 * bell(keyOf(seed, league.key, team.code, 'strength')));
  const winner = drawWinner(key, lean);
  const chances = fieldChances(key, lean);
  const ends = base + (9 + pick(key, 1, 8)) * DAY;
  const moments = longMoments({
    listed_a: base - (4 + at) * DAY,
    listed_b: base - (3 + at) * DAY,
    stopped_a: ends,
    stopped_b: ends,
    ends,
    resolvedAfter: 2 * HOUR,
  });
  const a = seriesOnA(tie, moments, chances, winner);
  const b = seriesOnB(tie, moments, chances, winner);
  const teams = [low, high];
  const market = b.markets[0] as MarketB;
  const legs = teams.map(
    (team): Leg => ({
      name: team.full,
      ticker: `${a.ticker}-${team.code}`,
      side: 'yes',
      token_id: market.tokens[market.outcomes.indexOf(team.nick)] ?? '',
    }),
  );
  const subject = `${league.key}:${[low.code, high.code].sort().join('-')}`;
  const plain = { family: 'advance', moments, subject };
  const spread = spreadOnA(tie, moments, winner);
  const total = totalOnB(tie, moments);
  return [
    { ...plain, key: a.ticker, a, b, legs },
    { ...plain, family: 'series_spread', key: spread.ticker, a: spread, b: null, legs: [] },
    { ...plain, family: 'series_total', key: total.slug, a: null, b: total, legs: [] },
  ];
}

const yearOf = ({ base }: Tie): number => easternParts(base + 9 * DAY).year;
const hockey = ({ league }: Tie): boolean => league.key === 'nhl';

function seriesOnA(tie: Tie, moments: Moments, chances: (t: number) => number[], winner: number): EventA {
  const { low, high, at } = tie;
  const year = yearOf(tie);
  const seeds = [6 - at, 3 + at];
  // Hockey writes full names, basketball cities with their seeds (recorded April 2026).
  const names = [low, high].map((team, i) => (hockey(tie) ? team.full : `(${seeds[i]}) ${team.city}`));
  const title = `${hockey(tie) ? 'Series Winner' : '1st Round Series'}: ${names[0]} vs ${names[1]}`;
  const teams = [low, high];
  const rungs = teams.map((team, i) => ({
    code: team.code,
    yes: names[i] ?? '',
    title: `Will ${team.city} win the ${low.city} vs ${high.city} series?`,
    rule: `If ${team.city} wins the first round series of ${low.city} vs ${high.city} in the ${year} ${tie.league.competition} Playoffs, then the market resolves to Yes.`,
    strike: { type: 'structured', custom: { [tie.league.targetKey]: uuidOf('team', tie.league.key, team.code) } },
    fair: (t: number) => chances(t)[i] ?? 0,
    hit: i === winner,
  }));
  const sub = hockey(tie)
    ? `${low.code} vs ${high.code} (R1 - ${year})`
    : `${low.code} vs ${high.code} (${year % 100})`;
  return eventOnA(tie, tie.series, title, sub, 'Game', true, moments, rungs);
}

function spreadOnA(tie: Tie, moments: Moments, winner: number): EventA {
  const { low, high } = tie;
  const rungs = [1.5, 2.5].map((line) => ({
    code: `${high.code}${Math.ceil(line)}`,
    yes: `${high.city} -${line} games`,
    title: `Will ${high.city} cover -${line} games in the ${low.city} vs ${high.city} series?`,
    rule: `If ${high.city} wins by more than ${line} games in the first round series of ${low.city} vs ${high.city} in the ${yearOf(tie)} ${tie.league.competition} Playoffs, then the market resolves to Yes.`,
    strike: { type: 'greater', floor: line },
    fair: () => 0.5 - 0.12 * line,
    hit: winner === 1 && line < 2,
  }));
  const title = `Series Game Spread: ${low.city} vs ${high.city}`;
  const sub = `${low.code} vs ${high.code} (R1 - ${yearOf(tie)})`;
  return eventOnA(tie, tie.spread, title, sub, 'Series Game Spread', false, moments, rungs);
}

type Rung = {
  code: string;
  yes: string;
  title: string;
  rule: string;
  strike: { type: string; floor?: number; custom?: Record<string, string> };
  fair: (t: number) => number;
  hit: boolean;
};

function eventOnA(
  { seed, league, low, high, base }: Tie,
  series: string,
  title: string,
  sub: string,
  scope: string,
  exclusive: boolean,
  moments: Moments,
  rungs: readonly Rung[],
): EventA {
  const ticker = `${series}-${easternParts(base + 9 * DAY).year % 100}${low.code}${high.code}R1`;
  const contracts = rungs.map((rung): ContractA => {
    const market = `${ticker}-${rung.code}`;
    const key = keyOf(seed, market);
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title: rung.title,
          yes: rung.yes,
          rules: [rung.rule, 'If the series is not completed, the market will resolve to a fair market price.'],
          open: moments.listed_a,
          close: moments.ends + 14 * DAY,
          expected: moments.ends,
          occurrence: moments.ends,
          earlyClose: 'This market will close and expire after a winner is declared.',
          settlementSeconds: 300,
          strike: rung.strike,
        },
        key,
      ),
      quoting: { key, fair: rung.fair, halfSpread: 0.5 + unit(key, 1), scale: 200 + pick(key, 2, 3000), tick: 100 },
      pays: rung.hit ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  return {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title,
      sub,
      exclusive,
      metadata: { competition: league.competition, competition_scope: scope },
      sources: league.sources,
      category: 'Sports',
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
}

function seriesOnB(tie: Tie, moments: Moments, chances: (t: number) => number[], winner: number): EventB {
  const { low, high } = tie;
  const zero = unit(keyOf(low.code, high.code, 'zero'), 1) < 0.5 ? 0 : 1;
  const teams = zero === 0 ? [low, high] : [high, low];
  const title = `${tie.league.bName} Playoffs: Who Will Win Series? - ${low.nick} vs. ${high.nick}`;
  return eventOnB(tie, title, moments, {
    outcomes: [teams[0]?.nick ?? '', teams[1]?.nick ?? ''],
    says: `This market will resolve to the team that wins the ${yearOf(tie)} ${tie.league.bName} playoff series between the ${low.full} and the ${high.full}. If the series is canceled or not completed, this market will resolve 50-50.`,
    fair: (t) => chances(t)[zero] ?? 0,
    pays: winner === zero ? 0 : 1,
  });
}

function totalOnB(tie: Tie, moments: Moments): EventB {
  const { low, high } = tie;
  return eventOnB(tie, `${tie.league.bName} Playoffs: ${low.nick} vs. ${high.nick} Total Games O/U 5.5`, moments, {
    outcomes: ['Over 5.5', 'Under 5.5'],
    says: 'This market will resolve to the number of games that the series takes.',
    fair: () => 0.55,
    pays: unit(keyOf(low.code, high.code, 'length'), 1) < 0.55 ? 0 : 1,
  });
}

function eventOnB(
  { seed, league }: Tie,
  title: string,
  moments: Moments,
  ask: { outcomes: readonly [string, string]; says: string; fair: (t: number) => number; pays: 0 | 1 },
): EventB {
  const slug = slugText(title);
  const key = keyOf(seed, slug);
  const market = marketB(
    seed,
    {
      slug,
      question: title,
      description: ask.says,
      resolution: league.resolution,
      outcomes: ask.outcomes,
      end: moments.ends,
      opened: moments.listed_b,
      group: '',
      threshold: 0,
      fee: SPORTS_FEE,
      tick: 100,
      negRiskId: null,
    },
    { key, fair: ask.fair, halfSpread: 0.5 + unit(key, 21), scale: 200 + pick(key, 23, 2000) },
    ask.pays,
  );
  return eventB(
    seed,
    {
      slug,
      title,
      description: ask.says,
      resolution: league.resolution,
      opened: moments.listed_b,
      end: moments.ends,
      negRisk: false,
      augmented: false,
      series: `${league.prefix}-playoffs`,
      tags: league.tags.filter((tag) => tag[2] !== 'games'),
    },
    [market],
  );
}
