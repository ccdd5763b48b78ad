/**
 * A league as both venues write it. `teams` is one line a team: venue A's code | venue A's name | full name | nickname | venue B's code.
 * Venue A avoids trademarks ("Los Angeles D"), venue B names nicknames; the two never share a spelling to match on.
 */
export type Team = { code: string; city: string; full: string; nick: string; short: string };

export type League = {
  key: string;
  /** Venue A's series and wording. */
  series: string;
  seriesTitle: string;
  competition: string;
  title: 'vs' | 'at';
  gamePhrase: string;
  rules: 'nfl' | 'baseball' | 'wnba' | 'hockey' | 'soccer';
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
