/**
 * A league as both venues write it. `teams` is one line a team: venue A's code | venue A's name | full name | nickname | venue B's code.
 * Venue A avoids trademarks ("Los Angeles D"), venue B names nicknames; the two never share a spelling to match on.
 */
export type Team = { code: string; city: string; full: string; nick: string; short: string };

/**
 * How a game is scored, for its lines: means and deviations of total and margin, and how each venue words and numbers the lines.
 * `suffix`: venue A's tickers round a half line up in some series and down in others, so the suffix is never the line.
 */
export type Scoring = {
  unit: 'points' | 'runs' | 'goals' | 'games' | 'maps';
  total: number;
  totalDeviation: number;
  marginDeviation: number;
  step: number;
  totalName: string;
  suffix: { total: 'up' | 'down'; spread: 'up' | 'down' };
  series: { total: string; spread: string | null; teamTotal: string | null };
  /** A part of the game that looks like the whole of it. */
  part: { series: string; name: string; scope: string; yes: (name: string) => string; slug: string } | null;
};

export type League = {
  key: string;
  /** Venue A's series and wording. */
  series: string;
  seriesTitle: string;
  competition: string;
  title: 'vs' | 'at';
  gamePhrase: string;
  rules: 'nfl' | 'baseball' | 'wnba' | 'hockey' | 'soccer' | 'college' | 'tennis' | 'mma' | 'esports' | 'cricket';
  targetKey: string;
  sources: readonly { name: string; url: string }[];
  tag: string;
  milestone: string;
  feeMultiplier: number;
  feeType: string;
  settlementSeconds: number;
  /** close_time after start (hours). */
  closeHours: number;
  /** Venue B's wording. */
  prefix: string;
  bName: string;
  bSeries: string;
  resolution: string;
  tags: readonly (readonly [id: string, label: string, slug: string])[];
  /** endDate: at the start, or a week later (venues.md B2). */
  endRule: 'start' | 'week';
  ways: 2 | 3;
  order: 'away' | 'home';
  gameMinutes: number;
  /** What is counted in it and how much of it; null where neither venue lists lines. */
  scoring: Scoring | null;
  /** Tickers carry the hour of the start. */
  timed?: boolean;
  /** Persons: venue A's titles hold family names (`city`), its outcomes full names. */
  persons?: boolean;
  /** Cricket's tickers turn the title's order round. */
  turned?: boolean;
  /** How many games a team sheet can hold in 24 hours without a team playing twice. */
  teams: readonly Team[];
};

export function teamsOf(table: string): Team[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [code = '', city = '', full = '', nick = '', short = ''] = line.trim().split('|');
      return { code, city, full, nick: nick || full, short: short || code.toLowerCase() };
    });
}
