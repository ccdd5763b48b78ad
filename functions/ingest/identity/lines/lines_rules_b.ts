import { type ParsedGame, teamIn } from '../game/game.ts';
import type { TeamId } from '../names/registry.ts';
import { splitSentences } from '../terms/terms_clauses.ts';
import { parseHalfLine } from './line_payoff.ts';
import type { ParsedLine } from './lines_text_b.ts';

/**
 * Compares the text of a venue_b line with its question: 'resolve to "Over" if A and B combine to
 * score 45 or more points'. A text with another line belongs to another market, or the market was
 * changed. In both cases it is unknown what is traded.
 */

const PAYS = /\bresolves? to ["“]([^"”]+)["”] if (.+)$/i;
const PART =
  /\b(?:first|second|third|fourth|1st|2nd|3rd|4th) (?:half|quarter|period|set|map|inning|(?:five|5|three|3) innings)\b/i;
const OTHER_COUNT = /\b(?:corners?|(?:yellow|red) cards?|bookings|kills?|shots?|rebounds|assists)\b/i;
/** A tennis player serves aces. In other sports it is the name of a team. */
const ACES = /\baces\b/i;

/**
 * Returns how the text contradicts the parsed line, or null. A whole-number line is not checked: it
 * can be met exactly, which a half cannot express.
 */
export function findRuleConflict(
  game: ParsedGame,
  parsed: ParsedLine,
  team: TeamId | null,
  rules: string | null,
): string | null {
  if (rules === null || Number.isInteger(parsed.line)) return null;
  for (const sentence of splitSentences(rules)) {
    const [, outcome = '', condition = ''] = PAYS.exec(sentence) ?? [];
    const served = game.league.sport === 'tennis' ? ACES.exec(condition)?.[0] : undefined;
    const foreign = PART.exec(condition)?.[0] ?? OTHER_COUNT.exec(condition)?.[0] ?? served;
    if (foreign !== undefined) return `the rules name "${foreign}"`;
    const half = parseHalfLine(condition);
    const expected = half === null ? null : lineInClause(game, parsed, team, outcome, condition, half);
    if (expected !== null && expected !== parsed.line)
      return `the rules state ${expected}, the question ${parsed.line}`;
  }
  return null;
}

/**
 * Returns the line that a clause states, from the point of view of the question. Null when the
 * clause is not about the line.
 */
function lineInClause(
  game: ParsedGame,
  parsed: ParsedLine,
  team: TeamId | null,
  outcome: string,
  condition: string,
  half: number,
): number | null {
  if (parsed.family !== 'spread') return /^over\b/i.test(outcome) ? half : null;
  const side = teamIn(game, outcome, null);
  if (side === null || !/\bwins?\b/i.test(condition)) return null;
  return side === team ? -half : half;
}
