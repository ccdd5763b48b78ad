/**
 * A league as both venues name it. A table has one line per team: venue A's code | venue A's name |
 * full name | nickname | venue B's code. Venue A avoids trademarks ("Los Angeles D"), venue B uses
 * nicknames. The two share no spelling.
 */
export type Team = { code: string; city: string; full: string; nick: string; short: string };

/**
 * How a game is scored: mean and deviation of total and margin, and how each venue words and
 * numbers its lines. `suffix`: some series of venue A round a half line up in the ticker and others
 * down, so a ticker does not contain the line.
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
  /** A part of the game that looks like the whole game. */
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
  /** Hours from the start to close_time. */
  closeHours: number;
  /** Venue B's wording. */
  prefix: string;
  bName: string;
  bSeries: string;
  resolution: string;
  tags: readonly (readonly [id: string, label: string, slug: string])[];
  /** endDate of venue B: at the start, or a week later (venues.md B2). */
  endRule: 'start' | 'week';
  ways: 2 | 3;
  order: 'away' | 'home';
  gameMinutes: number;
  /** Null if neither venue lists lines. */
  scoring: Scoring | null;
  /** Tickers contain the time of the start. */
  timed?: boolean;
  /**
   * The sides are persons: venue A's titles have family names (`city`), its outcomes full names.
   */
  persons?: boolean;
  /** The ticker has the opposite order of the title, as in cricket. */
  turned?: boolean;
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
