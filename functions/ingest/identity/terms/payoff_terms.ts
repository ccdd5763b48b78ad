import type { Json } from '../../listing.ts';
import { type PayoffResult, parsePayoffs, withoutBrackets } from '../text/payoff.ts';

/** Characters of a rules text and of a title that are read. */
const MAX_RULES_LENGTH = 24_000;
const MAX_TITLE_LENGTH = 1_000;

/**
 * Compares the condition of a payoff sentence with the fields of the listing. Each family has its
 * own.
 */
export type ConditionCheck = (condition: string) => PayoffResult;

/**
 * Checks what one text pays. A sentence that pays Yes must agree. One that pays No on the outcome
 * of the fields contradicts. A later sentence may be about an odd case: it gives no agreement, and
 * contradicts only by what it names.
 */
export function payoffOfText(text: string, judge: ConditionCheck): PayoffResult {
  const results = parsePayoffs(text.slice(0, MAX_RULES_LENGTH)).flatMap(({ pays, condition }): PayoffResult[] => {
    if (pays === 'named') return [];
    const result = judge(withoutBrackets(condition));
    if (pays !== 'no') return [result];
    return result === 'agrees' ? ['contradicts'] : [];
  });
  if (results.includes('contradicts')) return 'contradicts';
  return results.includes('agrees') ? 'agrees' : 'not_found';
}

/**
 * Marks the rules as `unread` when no sentence states what the text pays, so that the pair stays a
 * candidate.
 */
export const withPayoff = (terms: { [term: string]: Json }, payoff: PayoffResult): { [term: string]: Json } =>
  payoff === 'not_found' && terms.rules === 'read' ? { ...terms, rules: 'unread' } : terms;

/** Words that negate a short text (title, question, label), in any position. */
const NEGATED =
  /\b(?:not|never|cannot|neither|nor|unable|avoid(?:s|ed|ing)?|escap(?:e|es|ed|ing)|surviv(?:e|es|ed|ing)|miss(?:es|ed|ing)|miss (?:the|out)|fail(?:s|ed|ing)?)\b|n[’']t\b/i;

/**
 * Returns the negation in a short text, or null: "Will Bitcoin not be above", "Will Arsenal avoid
 * relegation".
 */
export const findNegation = (text: string): string | null =>
  NEGATED.exec(withoutBrackets(text.slice(0, MAX_TITLE_LENGTH)))?.[0] ?? null;
