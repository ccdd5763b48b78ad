import type { Json } from '../../listing.ts';
import type { Exclusion } from '../question.ts';
import type { Terms } from '../terms/terms.ts';
import { type PayoffResult, worstOf } from '../text/payoff.ts';

/** The result of a payoff check, and the words that contradict. */
export type Verdict = { result: PayoffResult; why: string | null };

export const AGREES: Verdict = { result: 'agrees', why: null };
export const NOT_FOUND: Verdict = { result: 'not_found', why: null };
export const contradicts = (why: string): Verdict => ({ result: 'contradicts', why: why.slice(0, 200) });

/** Returns the worst of several verdicts, with the words of the first contradiction. */
export const worstVerdict = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.find((one) => one.result === 'contradicts') ?? {
    result: worstOf(verdicts.map((one) => one.result)),
    why: null,
  };

/**
 * Returns the verdict on a listing of several contracts. A contract without text follows its
 * siblings, whose texts use the same template. When none has a text, the result is `not_found`.
 */
export const worstOfContracts = (verdicts: readonly (Verdict | null)[]): Verdict =>
  worstVerdict(verdicts.filter((one): one is Verdict => one !== null));

/**
 * Excludes a question whose text pays something else than the fields name. Another reason for
 * exclusion takes precedence.
 */
export const excludedBy = (payoff: Verdict, other: Exclusion | null): Exclusion | null =>
  other ?? (payoff.result === 'contradicts' ? 'payoff_contradicted' : null);

/**
 * Marks the rules as `unread` when no sentence pays what the fields name, so that the pair stays a
 * candidate.
 */
export const termsWith = (terms: Terms, payoff: Verdict): Terms =>
  payoff.result === 'not_found' && terms.rules === 'read' ? { ...terms, rules: 'unread' } : terms;

/** Returns evidence of a contradiction for operators. Empty when there is none. */
export const whyOf = (payoff: Verdict): { [key: string]: Json } =>
  payoff.result === 'contradicts' ? { detail: `the text or title pays something else: ${payoff.why ?? ''}` } : {};
