import type { Scoring } from './league.ts';

/**
 * Scoring of the leagues and the ticker numbers of both venues (recorded in May and August 2026).
 */

const half = (series: string): Scoring['part'] => ({
  series,
  name: 'First Half Winner',
  scope: '1st Half Winner',
  yes: (name) => `${name} wins the 1H`,
  slug: '1h-moneyline',
});

const points = (
  stem: string,
  total: number,
  deviations: readonly [number, number],
  suffix: Scoring['suffix'],
): Scoring => ({
  unit: 'points',
  total,
  totalDeviation: deviations[0],
  marginDeviation: deviations[1],
  step: 3,
  totalName: 'Total Points',
  suffix,
  series: { total: `${stem}TOTAL`, spread: `${stem}SPREAD`, teamTotal: `${stem}TEAMTOTAL` },
  part: half(`${stem}1HWINNER`),
});

export const NFL_SCORING = points('KXNFL', 45, [10, 12], { total: 'up', spread: 'up' });
export const NBA_SCORING = points('KXNBA', 228, [17, 12], { total: 'up', spread: 'down' });
export const WNBA_SCORING = points('KXWNBA', 166, [14, 11], { total: 'up', spread: 'up' });
export const CFB_SCORING = points('KXNCAAF', 52, [13, 17], { total: 'up', spread: 'up' });
export const CBB_SCORING = points('KXNCAAMB', 146, [14, 11], { total: 'up', spread: 'up' });

export const MLB_SCORING: Scoring = {
  unit: 'runs',
  total: 8.6,
  totalDeviation: 3.4,
  marginDeviation: 3.2,
  step: 1,
  totalName: 'Total Runs',
  suffix: { total: 'up', spread: 'up' },
  series: { total: 'KXMLBTOTAL', spread: 'KXMLBSPREAD', teamTotal: 'KXMLBTEAMTOTAL' },
  part: {
    series: 'KXMLBF5',
    name: 'First 5 Innings',
    scope: 'First 5 Innings Winner',
    yes: (name) => `${name} wins first 5 innings`,
    slug: 'first-five-moneyline',
  },
};

export const NHL_SCORING: Scoring = {
  unit: 'goals',
  total: 6.1,
  totalDeviation: 2,
  marginDeviation: 2.1,
  step: 1,
  totalName: 'Total Points',
  suffix: { total: 'up', spread: 'up' },
  series: { total: 'KXNHLTOTAL', spread: 'KXNHLSPREAD', teamTotal: null },
  part: null,
};

export const soccerScoring = (stem: string): Scoring => ({
  unit: 'goals',
  total: 2.8,
  totalDeviation: 1.5,
  marginDeviation: 1.6,
  step: 1,
  totalName: 'Total Goals',
  suffix: { total: 'down', spread: 'down' },
  series: { total: `${stem}TOTAL`, spread: `${stem}SPREAD`, teamTotal: `${stem}TEAMTOTAL` },
  part: { ...(half(`${stem}1H`) as NonNullable<Scoring['part']>), slug: 'halftime-result' },
});

export const tennisScoring = (stem: string): Scoring => ({
  unit: 'games',
  total: 22,
  totalDeviation: 4,
  marginDeviation: 4,
  step: 1,
  totalName: 'Total Games',
  suffix: { total: 'up', spread: 'up' },
  series: { total: `${stem}GTOTAL`, spread: `${stem}GSPREAD`, teamTotal: null },
  part: {
    series: `${stem}SETWINNER`,
    name: 'Set 1 Winner',
    scope: 'Set 1 Winner',
    yes: (name) => name,
    slug: 'first-set-winner',
  },
});

export const mapScoring = (stem: string): Scoring => ({
  unit: 'maps',
  total: 2.5,
  totalDeviation: 0.5,
  marginDeviation: 1.5,
  step: 1,
  totalName: 'Total Maps',
  suffix: { total: 'up', spread: 'up' },
  series: { total: `${stem}TOTALMAPS`, spread: null, teamTotal: null },
  part: { series: `${stem}MAP`, name: 'Map 1', scope: 'Map 1 Winner', yes: (name) => name, slug: 'game1' },
});
