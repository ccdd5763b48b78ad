import type { Question } from '../../listing.ts';
import { isUnparsed, type ParsedGame, teamIn } from '../game/game.ts';
import { parseGameA } from '../game/game_a.ts';
import { type TeamId, teamsByName } from '../names/registry.ts';
import type { Context, Exclusion } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { joined, type RawObject, record, records, text } from '../text/raw_object.ts';
import { seriesOf, suffixOf } from '../text/ticker.ts';
import { type Line, lineQuestion, rejectLine } from './lines.ts';
import { type LineSeries, lineSeries, unitOf } from './lines_registry.ts';
import { parseLineA, parseTeamNames } from './lines_text_a.ts';

/**
 * Parses the lines of venue_a, which lists a ladder of lines as one event. YES of each market pays
 * above its line, NO pays otherwise. Each market is one question.
 */
export function linesA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const series = lineSeries(text(event.series_ticker) ?? seriesOf(ticker));
  if (series === null) return [];
  const { league, family } = series;
  const game = parseGameA(event, context, league);
  const part = series.part ?? findPart(record(event.product_metadata).competition_scope, event.title);
  if (part !== null) {
    const about = isUnparsed(game) ? game.facts : game;
    return [rejectLine('venue_a', ticker, family, league, 'part_of_game', { scope: part }, about)];
  }
  if (isUnparsed(game))
    return [rejectLine('venue_a', ticker, family, league, game.problem, { detail: game.detail }, game.facts)];
  const unit = unitOf(league.sport, [series.unit]);
  const conflict = findScopeConflict(series, event);
  if (conflict !== null || unit === null) {
    const code: Exclusion = conflict === null ? 'incomplete' : 'contradictory';
    const detail = conflict ?? `the unit of ${series.family} in ${league.sport} is not stated`;
    return [rejectLine('venue_a', ticker, family, league, code, { detail }, game)];
  }
  return records(event.markets).flatMap((market) => parseMarket(game, series, unit, market) ?? []);
}

const PART =
  /\b(?:1st|2nd|3rd|4th|first|second|third|fourth|[1-4][hqp]|f5) ?(?:\d )?(?:half|quarter|period|innings?|set|map|spread|total)\b|\b(?:half|quarter|period|inning|set|map) ?\d\b/i;

/** Returns the part of a game that one of the texts names. Null for the whole game. */
function findPart(...texts: unknown[]): string | null {
  return texts.map((one) => PART.exec(text(one) ?? '')?.[0]).find((found) => found !== undefined) ?? null;
}

/** Returns a text when the scope names another kind of question than the series. */
function findScopeConflict(series: LineSeries, event: RawObject): string | null {
  const scope = text(record(event.product_metadata).competition_scope);
  if (scope === null) return null;
  const other =
    /^game$|\b(?:series|winner|future|awards?)\b/i.test(scope) ||
    (series.family === 'spread' ? /\btotals?\b/i : /\bspread\b/i).test(scope) ||
    (series.family === 'total' && /\bteam total\b/i.test(scope));
  return other ? `a ${series.family} series whose scope is "${scope}"` : null;
}

function parseMarket(game: ParsedGame, series: LineSeries, unit: string, market: RawObject): Question | null {
  const ticker = text(market.ticker);
  if (ticker === null) return null;
  const { family, league } = series;
  const reject = (code: Exclusion, detail: string): Question =>
    rejectLine('venue_a', ticker, family, league, code, { detail, label: text(market.yes_sub_title) }, game);
  const rules = joined(market.rules_primary, market.rules_secondary);
  const part = findPart(market.title, market.yes_sub_title, market.rules_primary);
  if (part !== null) return rejectLine('venue_a', ticker, family, league, 'part_of_game', { scope: part }, game);
  const over = parseLineA(market, rules);
  if ('problem' in over) return reject(over.problem, over.detail);
  const team = family === 'total' ? null : teamOf(game, market);
  if (team !== null && typeof team !== 'string') return reject(team.problem, team.detail);
  const contract = { market_id: ticker, contract_id: ticker };
  const line: Line = {
    family,
    unit,
    team,
    line: family === 'spread' ? -over.line : over.line,
    above: { ...contract, side: 'yes' },
    below: { ...contract, side: 'no' },
  };
  const close_at = parseInstant(text(market.close_time));
  return lineQuestion(game, line, {
    nativeId: ticker,
    close_at,
    rules,
    labels: parseTeamNames(market).map((label) => ({ team, label })),
    evidence: { line_by: over.by },
  });
}

type Rejected = { problem: Exclusion; detail: string };

/**
 * Returns the team whose margin or count a market is about. Every text that names a team must name
 * the same one, and so must the code in the ticker.
 */
function teamOf(game: ParsedGame, market: RawObject): TeamId | Rejected {
  const names = parseTeamNames(market);
  // "The" is part of a few names (The Strongest) and an article before many.
  const teams = names.map((name) => teamIn(game, name, null) ?? teamIn(game, `the ${name}`, null));
  const found = new Set(teams.filter((team): team is TeamId => team !== null));
  const code = suffixOf(game.event, text(market.ticker) ?? '')?.replace(/\d+$/, '') ?? null;
  const coded = code === null || code === '' ? null : teamIn(game, null, code);
  const detail = `names ${names.join(' / ') || 'none'}, code "${code ?? ''}"`;
  // When both teams share a name ("Los Angeles"), the code decides. When neither team has the name,
  // the code does not decide.
  const shared = (name: string) => game.teams.every((team) => teamsByName(game.league, name).has(team));
  if (found.size === 0 && !names.every(shared)) return { problem: 'unknown_alias', detail };
  if (coded !== null) found.add(coded);
  const [team, ...more] = [...found];
  if (team === undefined) return { problem: 'unknown_alias', detail };
  return more.length === 0 ? team : { problem: 'contradictory', detail };
}
