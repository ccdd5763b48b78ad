import { DAY, easternParts } from '../../core/eastern.ts';
import { above, type ContractShapeA, listOnA, targetOf } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import type { Matchup } from './matchups.ts';

export type Series = {
  seed: number;
  base: number;
  matchup: Matchup;
  moments: Moments;
  chances(t: number): number[];
  winner: number;
};

export const yearOf = ({ base }: Series): number => easternParts(base + 9 * DAY).year;

export function seriesOnA(series: Series): EventA {
  const { matchup, chances, winner } = series;
  const { league, low, high, at } = matchup;
  const year = yearOf(series);
  const hockey = league.key === 'nhl';
  const teams = [low, high];
  const seeds = [6 - at, 3 + at];
  // Hockey has full names, basketball has cities with their seeds (recorded April 2026).
  const names = teams.map((team, i) => (hockey ? team.full : `(${seeds[i]}) ${team.city}`));
  const contracts = teams.map(
    (team, i): SeriesContract => ({
      code: team.code,
      yes: names[i] ?? '',
      title: `Will ${team.city} win the ${low.city} vs ${high.city} series?`,
      rule: `If ${team.city} wins the first round series of ${low.city} vs ${high.city} in the ${year} ${league.competition} Playoffs, then the market resolves to Yes.`,
      strike: { type: 'structured', custom: targetOf(league, team.code) },
      fair: (t) => chances(t)[i] ?? 0,
      pays: i === winner,
    }),
  );
  const title = `${hockey ? 'Series Winner' : '1st Round Series'}: ${names[0]} vs ${names[1]}`;
  const sub = hockey ? `${low.code} vs ${high.code} (R1 - ${year})` : `${low.code} vs ${high.code} (${year % 100})`;
  return roundOnA(series, matchup.series, { title, sub, scope: 'Game', exclusive: true }, contracts);
}

/** The margin of the favourite in games: the same two names, another question. */
export function spreadOnA(series: Series): EventA {
  const { matchup, winner } = series;
  const { league, low, high } = matchup;
  const contracts = [1.5, 2.5].map(
    (line): SeriesContract => ({
      code: `${high.code}${Math.ceil(line)}`,
      yes: `${high.city} -${line} games`,
      title: `Will ${high.city} cover -${line} games in the ${low.city} vs ${high.city} series?`,
      rule: `If ${high.city} wins by more than ${line} games in the first round series of ${low.city} vs ${high.city} in the ${yearOf(series)} ${league.competition} Playoffs, then the market resolves to Yes.`,
      strike: above(line),
      fair: () => 0.5 - 0.12 * line,
      pays: winner === 1 && line < 2,
    }),
  );
  const title = `Series Game Spread: ${low.city} vs ${high.city}`;
  const sub = `${low.code} vs ${high.code} (R1 - ${yearOf(series)})`;
  return roundOnA(series, matchup.spread, { title, sub, scope: 'Series Game Spread', exclusive: false }, contracts);
}

type SeriesContract = Omit<ContractShapeA, 'rules'> & { rule: string };
type SeriesTitle = { title: string; sub: string; scope: string; exclusive: boolean };

function roundOnA(
  series: Series,
  prefix: string,
  { scope, ...titles }: SeriesTitle,
  contracts: readonly SeriesContract[],
): EventA {
  const { seed, matchup, moments } = series;
  const { league, low, high } = matchup;
  return listOnA(
    {
      ...titles,
      seed,
      ticker: `${prefix}-${yearOf(series) % 100}${low.code}${high.code}R1`,
      metadata: { competition: league.competition, competition_scope: scope },
      sources: league.sources,
      category: 'Sports',
      listed: moments.listed_a,
      close: moments.ends + 14 * DAY,
      expected: moments.ends,
      occurrence: moments.ends,
      earlyClose: 'This market will close and expire after a winner is declared.',
      profile: { spread: [0.5, 1], size: [200, 3000] },
    },
    contracts.map((contract) => ({
      ...contract,
      rules: [contract.rule, 'If the series is not completed, the market will resolve to a fair market price.'],
    })),
  );
}
