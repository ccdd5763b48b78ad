import { findNegation, payoffOfText } from '../terms/payoff_terms.ts';
import { parseMonth } from '../text/eastern.ts';
import { type PayoffResult, worstOf } from '../text/payoff.ts';
import { keyOfMove, moveOf } from './decision_move.ts';
import type { Bank } from './decision_registry.ts';
import { type Move, parseSizeInRules } from './decision_statement.ts';
import { namesBank, namesMonth } from './decision_terms.ts';

/**
 * What the fields of a listing ask. A contract pays it when its payoff sentence names no other
 * bank, meeting or move, and names at least one of them.
 */
export type ExpectedMeeting = { bank: Bank; month: string | null };

const NEGATED_MOVE =
  /(?:\b(?:not|never|fails? to|declines? to)\b|n[’']t\b)(?: [\w’']+){0,4}? (?:cut|decrease|lower|reduce|hike|increase|raise|change|maintain|hold|do|be)/i;
const MEETING =
  /\b(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?(?: \d{1,2}(?: ?[-–] ?\d{1,2})?,?)?(?: 20\d\d)? (?:[a-z]+ ){0,2}?(?:meeting|decision|announcement)\b/gi;

/** Whether a sentence names the meeting by its month alone. Null when it names none. */
function namesMeeting(text: string, month: string | null): boolean | null {
  const named = [...text.matchAll(MEETING)].map((match) => parseMonth(match[1] ?? ''));
  return month === null || named.length === 0 ? null : named.includes(Number(month.slice(5)));
}

function checkCondition(condition: string, { bank, month }: ExpectedMeeting, move: Move | null): PayoffResult {
  const checks = [namesMonth(condition, month), namesMeeting(condition, month), namesBank(condition, bank.id)];
  if (NEGATED_MOVE.test(condition) || checks.includes(false)) return 'contradicts';
  const size = parseSizeInRules(condition);
  const stated = size === null ? null : moveOf(size, bank.step);
  if (stated !== null && move !== null && keyOfMove(stated) !== keyOfMove(move)) return 'contradicts';
  return checks.includes(true) ? 'agrees' : 'not_found';
}

/**
 * One contract with its own words. `move` is null when it states none, or when the text is that of
 * the whole meeting.
 */
export type MoveText = { titles: readonly (string | null)[]; text: string | null; move: Move | null };

export function payoffOfMoves(
  title: string | null,
  contracts: readonly MoveText[],
  expected: ExpectedMeeting,
): PayoffResult {
  const isInverted = (text: string | null): boolean => text !== null && findNegation(text) !== null;
  if (isInverted(title)) return 'contradicts';
  return worstOf(
    contracts.flatMap(({ titles, text, move }): PayoffResult[] => {
      if (titles.some(isInverted)) return ['contradicts'];
      return text === null ? [] : [payoffOfText(text, (condition) => checkCondition(condition, expected, move))];
    }),
  );
}
