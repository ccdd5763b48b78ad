import type { Json } from '../../listing.ts';
import { type PayoffResult, parsePayoffs, withoutBrackets } from '../text/payoff.ts';

/** As much of a rules text, and of a title, as is read. */
const MAX_RULES_LENGTH = 24_000;
const MAX_TITLE_LENGTH = 1_000;

/** How a family holds the condition of a payoff sentence against the fields of its listing. */
export type ConditionCheck = (condition: string) => PayoffResult;

/**
 * What one text pays, held against its listing. A sentence that pays Yes has to agree; one that pays No on what the fields ask for
 * contradicts. A later sentence of the same text may speak of an odd case: it agrees with nothing and contradicts only what it names.
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

/** A text that says nothing of what it pays is unread: the pair stays a candidate. */
export const withPayoff = (terms: { [term: string]: Json }, payoff: PayoffResult): { [term: string]: Json } =>
  payoff === 'not_found' && terms.rules === 'read' ? { ...terms, rules: 'unread' } : terms;

/** Words that turn a short text round (a title, a question, a label), whatever they stand with. */
const NEGATED =
  /\b(?:not|never|cannot|neither|nor|unable|avoid(?:s|ed|ing)?|escap(?:e|es|ed|ing)|surviv(?:e|es|ed|ing)|miss(?:es|ed|ing)|miss (?:the|out)|fail(?:s|ed|ing)?)\b|n[’']t\b/i;

/** The negation in a short text, or null: "Will Bitcoin not be above", "Will Arsenal avoid relegation". */
export const findNegation = (text: string): string | null =>
  NEGATED.exec(withoutBrackets(text.slice(0, MAX_TITLE_LENGTH)))?.[0] ?? null;
