import { COMPETITIONS, type League } from '../../functions/ingest/identity/names/registry.ts';

/**
 * A season of listings in the formats of both venues: real leagues and teams, invented dates and
 * texts.
 */

type RawObject = { [key: string]: unknown };
export type Season = { a: RawObject[]; b: RawObject[] };

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const LEAGUES = ['mlb', 'nba', 'nhl', 'nfl'];
const RULES_A =
  'If the team wins the game originally scheduled for {day}, the market resolves to Yes. If the game is postponed and not started within 48 hours, the market resolves to a fair market price.';
const RULES_B =
  'In the upcoming game scheduled for {day}, this market resolves to the winner. If the game is postponed, this market will remain open until the game has been completed. If the game is canceled entirely, with no make-up game, this market will resolve 50-50.';

function ticker(day: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(day.getUTCFullYear() % 100)}${MONTHS[day.getUTCMonth()]}${two(day.getUTCDate())}`;
}

type Team = { name: string; code: { a: string; b: string } };

function teamsOf(league: League): Team[] {
  return [...league.pool.teams.values()].flatMap((team) => {
    const [a, b] = [team.codes.venue_a[0], team.codes.venue_b[0]];
    return a && b ? [{ name: team.name, code: { a, b } }] : [];
  });
}

const tokenIds = (id: string) => JSON.stringify([`${id}0`, `${id}1`]);

function game(league: League, away: Team, home: Team, day: Date, no: number): { a: RawObject[]; b: RawObject } {
  const series = league.venue_a.game_series[0] ?? '';
  const on = day.toISOString().slice(0, 10);
  const rules = { a: RULES_A.replace('{day}', on), b: RULES_B.replace('{day}', on) };
  const stem = `${ticker(day)}${away.code.a}${home.code.a}`;
  const event = `${series}-${stem}`;
  const slug = `${league.venue_b.prefixes[0]}-${away.code.b}-${home.code.b}-${on}`;
  const market = (suffix: string, label: string): RawObject => ({
    ticker: `${event}-${suffix}`,
    event_ticker: event,
    status: 'active',
    yes_sub_title: label,
    rules_primary: rules.a,
  });
  const b: RawObject[] = [
    {
      slug,
      conditionId: `0x${no}m`,
      question: `${away.name} vs. ${home.name}`,
      sportsMarketType: 'moneyline',
      outcomes: JSON.stringify([away.name, home.name]),
      clobTokenIds: tokenIds(`${no}m`),
      description: rules.b,
      gameStartTime: `${on} 20:00:00+00`,
    },
  ];
  const a: RawObject[] = [
    {
      event_ticker: event,
      series_ticker: series,
      title: `${away.name} vs ${home.name}`,
      markets: [market(away.code.a, away.name), market(home.code.a, home.name)],
    },
  ];
  // Every other game also has two betting lines of its total.
  if (no % 2 === 0) {
    const totals = `${series.replace(/GAME$/, 'TOTAL')}-${stem}`;
    const lines = [40.5 + (no % 7), 44.5 + (no % 7)];
    a.push({
      event_ticker: totals,
      series_ticker: totals.split('-')[0],
      title: `${away.name} vs ${home.name}: Total Points`,
      markets: lines.map((line) => ({
        ticker: `${totals}-${Math.ceil(line)}`,
        event_ticker: totals,
        status: 'active',
        title: `Will over ${line} points be scored?`,
        strike_type: 'greater',
        floor_strike: line,
        rules_primary: rules.a,
      })),
    });
    for (const [at, line] of lines.entries()) {
      b.push({
        slug: `${slug}-total-${String(line).replace('.', 'pt')}`,
        conditionId: `0x${no}t${at}`,
        question: `${away.name} vs. ${home.name}: O/U ${line}`,
        sportsMarketType: 'totals',
        line,
        outcomes: '["Over", "Under"]',
        clobTokenIds: tokenIds(`${no}t${at}`),
        description: rules.b,
        gameStartTime: `${on} 20:00:00+00`,
      });
    }
  }
  return { a, b: { slug, title: `${away.name} vs. ${home.name}`, markets: b } };
}

/**
 * Games with about `questions` questions a venue: the game, and two totals for every other game.
 * One game in ten is listed on one venue only.
 */
export function createSeason(questions: number): Season {
  const season: Season = { a: [], b: [] };
  const leagues = LEAGUES.map((id) => COMPETITIONS.get(id)).filter((one): one is League => one !== undefined);
  const teams = leagues.map(teamsOf);
  const games = Math.round(questions / 2 / 0.95);
  for (let no = 0; no < games; no += 1) {
    const at = no % leagues.length;
    const [league, all] = [leagues[at], teams[at]];
    if (!league || !all) continue;
    // A round robin: all pairs of teams of a league meet once before any pair meets again.
    const round = Math.floor(no / leagues.length);
    const gap = 1 + (Math.floor(round / all.length) % (all.length - 1));
    const [away, home] = [all[round % all.length], all[(round + gap) % all.length]];
    if (!away || !home) continue;
    const day = new Date(Date.UTC(2026, 0, 1) + Math.floor(no / 60) * 86_400_000);
    const listed = game(league, away, home, day, no);
    if (no % 20 !== 7) season.a.push(...listed.a);
    if (no % 20 !== 13) season.b.push({ ...listed.b });
  }
  return season;
}
