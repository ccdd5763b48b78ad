import type { Question } from '../../listing.ts';
import { isUnparsed, type ParsedGame, teamIn } from '../game/game.ts';
import { parseGameB } from '../game/game_b.ts';
import { type TeamId, teamsByCode } from '../names/registry.ts';
import type { Context, Exclusion } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { outcomeTokens } from '../text/outcome_ids.ts';
import { amount, joined, type RawObject, records, strings, text } from '../text/raw_object.ts';
import { parseGameSlug } from '../text/slug.ts';
import { type Contract, type Line, lineQuestion, rejectLine } from './lines.ts';
import { type LineType, lineType, unitOf } from './lines_registry.ts';
import { findRuleConflict } from './lines_rules_b.ts';
import { type ParsedLine, parseGroupTitle, parseLine } from './lines_text_b.ts';
import { isSeriesSpread } from './series_spread_b.ts';

/**
 * Parses the lines of venue_b, which lists each line as a market of two outcomes, in the event of
 * the game or in its "More Markets". The outcomes decide the sides. The question and the group
 * title give the line. The sign of the field `line` is no evidence (venues.md B2), its size is.
 */
export function linesB(event: RawObject, context: Context): Question[] {
  if (isSeriesSpread(event)) return [];
  const found = records(event.markets).flatMap((market) => toCandidate(market) ?? []);
  if (found.length === 0) return [];
  const game = gameOf(event, found, context);
  if (game === null) return [];
  const questions = found.flatMap((one) => {
    const { league } = game;
    const reject = (code: Exclusion, details: { detail: string } | { scope: string }): Question =>
      rejectLine(
        'venue_b',
        one.condition,
        one.parsed.family,
        league,
        code,
        details,
        isUnparsed(game) ? game.facts : game,
      );
    if (isUnparsed(game)) return reject(game.problem, { detail: game.detail });
    // Totals of players and of corners look like team totals. A name of neither team is no line of
    // this game.
    if (one.parsed.family === 'team_total' && one.type === null && teamIn(game, one.parsed.name, null) === null)
      return [];
    const scope = one.parsed.part ?? (one.type?.part ? 'part' : otherEvent(game));
    if (scope !== null) return reject('part_of_game', { scope });
    const line = toLine(game, one);
    return 'problem' in line ? reject(line.problem, { detail: line.detail }) : [toQuestion(game, one, line)];
  });
  return withoutRepeats(questions, found);
}

/** Marks repeated lines of one event as duplicates when exactly one of them still trades. */
function withoutRepeats(questions: readonly Question[], found: readonly Candidate[]): Question[] {
  const trading = new Set(found.filter(({ market }) => isOpen(market)).map((one) => `venue_b:${one.condition}`));
  return questions.map((one) => {
    const same = questions.filter((other) => other.key === one.key && other.excluded === null);
    const open = same.filter((other) => trading.has(other.question_id));
    const repeated = one.excluded === null && same.length > 1 && open.length === 1 && open[0] !== one;
    return repeated ? { ...one, excluded: 'duplicate_listing' } : one;
  });
}

const isOpen = (market: RawObject): boolean =>
  market.closed !== true && market.active !== false && market.acceptingOrders !== false;

type Candidate = { market: RawObject; condition: string; parsed: ParsedLine; type: LineType | null };
type Rejected = { problem: Exclusion; detail: string };

/** Returns a market that is a line by its type, where it has one, and by its words. */
function toCandidate(market: RawObject): Candidate | null {
  const condition = text(market.conditionId);
  const named = text(market.sportsMarketType);
  const type = named === null ? null : lineType(named);
  const parsed = parseLine(text(market.question) ?? '');
  if (condition === null || parsed === null || (named !== null && type === null)) return null;
  return { market, condition, parsed, type };
}

/**
 * Parses the game of an event. A page without a title takes it from its lines ("A vs. B: O/U 2.5")
 * or from the two outcomes of a spread.
 */
function gameOf(event: RawObject, found: readonly Candidate[], context: Context): ReturnType<typeof parseGameB> {
  if (text(event.title) !== null) return parseGameB(event, context);
  const prefixes = found.map((one) => /^(.+ vs\.? [^:]+): /i.exec(text(one.market.question) ?? '')?.[1]);
  const title = prefixes.find((one) => one !== undefined);
  if (title !== undefined) return parseGameB({ ...event, title }, context);
  const sides = found.filter((one) => one.parsed.family === 'spread').map((one) => strings(one.market.outcomes));
  const pair = sides.find((one) => one.length === 2);
  if (pair === undefined) return parseGameB(event, context);
  const game = parseGameB({ ...event, title: pair.join(' vs. ') }, context);
  return game === null || isUnparsed(game) ? game : inSlugOrder(game);
}

/**
 * A spread names the favourite first, which does not state who plays at home. The codes of the slug
 * do.
 */
function inSlugOrder(game: ParsedGame): ParsedGame {
  const [one, other] = game.teams;
  const first = teamsByCode(game.league, 'venue_b', parseGameSlug(game.event)?.codes[0] ?? '');
  return first.has(other) && !first.has(one) ? { ...game, teams: [other, one] } : game;
}

/** Side events other than "More Markets" are about something else: a map, a half, corners. */
const otherEvent = (game: ParsedGame): string | null =>
  game.sibling === null || /\bmore-markets\b/.test(game.sibling) ? null : game.sibling;

function toLine(game: ParsedGame, one: Candidate): Line | Rejected {
  const { parsed, type, market } = one;
  const { family } = parsed;
  if (type !== null && type.family !== family)
    return { problem: 'contradictory', detail: `a ${type.family} by its type, a ${family} by its question` };
  const unit = unitOf(game.league.sport, [parsed.unit, type?.unit]);
  if (unit === null)
    return { problem: 'incomplete', detail: `counted unit: ${parsed.unit ?? type?.unit ?? 'not stated'}` };
  const team = namedTeam(game, parsed);
  if (parsed.name !== null && team === null) return { problem: 'unknown_alias', detail: `"${parsed.name}"` };
  const conflict =
    findLineConflict(game, parsed, team, market) ?? findRuleConflict(game, parsed, team, joined(market.description));
  if (conflict !== null) return { problem: 'contradictory', detail: conflict };
  const sides = family === 'spread' ? coverSides(game, one, team) : overSides(one);
  return 'problem' in sides ? sides : { family, unit, team, line: parsed.line, ...sides };
}

/**
 * Returns the team that the words name. When a handicap names both teams and one name is an unknown
 * abbreviation, it is the team that the other name is not.
 */
function namedTeam(game: ParsedGame, parsed: ParsedLine): TeamId | null {
  const own = parsed.name === null ? null : teamIn(game, parsed.name, null);
  const other = parsed.other === null ? null : teamIn(game, parsed.other.name, null);
  return own ?? (other === null ? null : game.teams[other === game.teams[0] ? 1 : 0]);
}

/**
 * Returns a text when another field of the market names a different line, or gives the line to the
 * other team.
 */
function findLineConflict(game: ParsedGame, parsed: ParsedLine, team: TeamId | null, market: RawObject): string | null {
  const field = amount(market.line);
  if (field !== null && Math.abs(field) !== Math.abs(parsed.line))
    return `line ${field} in the field, ${parsed.line} in the question`;
  if (parsed.family !== 'spread' && parsed.line <= 0) return `the count ${parsed.line} is not positive`;
  if (parsed.other !== null) {
    const other = teamIn(game, parsed.other.name, null);
    if (parsed.other.line !== -parsed.line || (other !== null && other === team))
      return 'the two sides of the handicap differ';
  }
  const group = parseGroupTitle(text(market.groupItemTitle) ?? '');
  if (group === null) return null;
  const named = group.name === '' ? null : teamIn(game, group.name, null);
  const expected = named !== null && team !== null && named !== team ? -parsed.line : parsed.line;
  const isSame =
    group.signed && parsed.family === 'spread'
      ? group.line === expected
      : Math.abs(group.line) === Math.abs(parsed.line);
  return isSame ? null : `"${text(market.groupItemTitle)}" in the group title, ${parsed.line} in the question`;
}

type Sides = Pick<Line, 'above' | 'below'>;

function contractsOf(one: Candidate): { label: string; contract: Contract }[] | null {
  const labels = strings(one.market.outcomes);
  const tokens = outcomeTokens(one.market);
  if (labels.length !== 2 || tokens.length !== 2 || tokens[0] === tokens[1]) return null;
  return labels.map((label, at) => ({
    label,
    contract: { market_id: one.condition, contract_id: tokens[at] ?? '', side: null },
  }));
}

const NUMBER_AT_END = /\s*\(?([-+−–]?\d+(?:\.\d+)?)\)?$/;

function overSides(one: Candidate): Sides | Rejected {
  const both = contractsOf(one);
  const above = both?.filter(({ label }) => /^over\b/i.test(label)) ?? [];
  const below = both?.filter(({ label }) => /^under\b/i.test(label)) ?? [];
  const [over, under] = [above[0], below[0]];
  if (above.length !== 1 || below.length !== 1 || !over || !under)
    return { problem: 'incomplete', detail: outcomesOf(one) };
  const numbers = [over, under].flatMap(({ label }) => NUMBER_AT_END.exec(label)?.[1] ?? []);
  if (numbers.some((number) => Number(number) !== one.parsed.line))
    return { problem: 'contradictory', detail: outcomesOf(one) };
  return { above: over.contract, below: under.contract };
}

/**
 * The token named after the handicapped team covers. A number after a label must be the handicap of
 * that team.
 */
function coverSides(game: ParsedGame, one: Candidate, team: TeamId | null): Sides | Rejected {
  const both = (contractsOf(one) ?? []).map(({ label, contract }) => {
    const handicap = NUMBER_AT_END.exec(label)?.[1];
    const whole = teamIn(game, label, null);
    const name = whole === null && handicap !== undefined ? label.replace(NUMBER_AT_END, '') : label;
    const side = whole ?? teamIn(game, name, null);
    return {
      side,
      contract,
      handicap: whole === null && handicap !== undefined ? Number(handicap.replace(/[−–]/, '-')) : null,
    };
  });
  const own = both.find(({ side }) => side === team);
  const other = both.find(({ side }) => side !== null && side !== team);
  if (both.length !== 2 || !own || !other)
    return { problem: both.length === 2 ? 'unknown_alias' : 'incomplete', detail: outcomesOf(one) };
  const fits =
    (own.handicap ?? one.parsed.line) === one.parsed.line && (other.handicap ?? -one.parsed.line) === -one.parsed.line;
  return fits ? { above: own.contract, below: other.contract } : { problem: 'contradictory', detail: outcomesOf(one) };
}

const outcomesOf = (one: Candidate): string => `outcomes ${strings(one.market.outcomes).join(' / ') || 'none'}`;

function toQuestion(game: ParsedGame, one: Candidate, line: Line): Question {
  const { market } = one;
  return lineQuestion(game, line, {
    nativeId: one.condition,
    close_at: parseInstant(text(market.endDate)),
    rules: joined(market.description),
    labels: strings(market.outcomes).map((label) => ({ team: teamIn(game, label, null), label })),
    evidence: {
      line_by: text(market.groupItemTitle) === null ? 'question' : 'question+group',
      line_field: amount(market.line),
    },
  });
}
