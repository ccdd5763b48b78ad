import { type ParsedGame, teamIn } from '../game/game.ts';
import type { TeamId } from '../names/registry.ts';
import { splitSentences } from '../terms/terms_clauses.ts';
import { parseHalfLine } from './line_payoff.ts';
import type { ParsedLine } from './lines_text_b.ts';

/**
 * What a venue_b line's own text says of the line: 'resolve to "Over" if A and B combine to score 45 or more points'. A text that tells
 * another line than the question does is a text of another market, or a market that was changed: either way nobody knows what is traded.
 */

const PAYS = /\bresolves? to ["“]([^"”]+)["”] if (.+)$/i;
const PART =
  /\b(?:first|second|third|fourth|1st|2nd|3rd|4th) (?:half|quarter|period|set|map|inning|(?:five|5|three|3) innings)\b/i;
const OTHER_COUNT = /\b(?:corners?|(?:yellow|red) cards?|bookings|kills?|shots?|rebounds|assists)\b/i;
/** Served by a player; elsewhere a team's name. */
const ACES = /\baces\b/i;

/** How the text contradicts the line that was asked, or null. Whole-number lines can be met, and say more than a half can hold. */
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
    if (foreign !== undefined) return `the rules speak of "${foreign}"`;
    const half = parseHalfLine(condition);
    const expected = half === null ? null : lineInClause(game, parsed, team, outcome, condition, half);
    if (expected !== null && expected !== parsed.line) return `the rules say ${expected}, the question ${parsed.line}`;
  }
  return null;
}

/** The line that a clause tells, from the point of view of the question; null where it is no clause about the line. */
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
