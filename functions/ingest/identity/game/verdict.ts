import type { Json } from '../../listing.ts';
import type { Exclusion } from '../question.ts';
import type { Terms } from '../terms/terms.ts';
import { type PayoffResult, worstOf } from '../text/payoff.ts';

/** What a listing's text says of its own payoff: the verdict, and the words that contradict. */
export type Verdict = { result: PayoffResult; why: string | null };

export const AGREES: Verdict = { result: 'agrees', why: null };
export const NOT_FOUND: Verdict = { result: 'not_found', why: null };
export const contradicts = (why: string): Verdict => ({ result: 'contradicts', why: why.slice(0, 200) });

/** The worst of several verdicts, with the words of the first contradiction. */
export const worstVerdict = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.find((one) => one.result === 'contradicts') ?? {
    result: worstOf(verdicts.map((one) => one.result)),
    why: null,
  };

/**
 * The verdict on a listing of several contracts. A contract without any text follows its siblings, whose texts are of the same
 * template; where none has one, nothing is found.
 */
export const worstOfContracts = (verdicts: readonly (Verdict | null)[]): Verdict =>
  worstVerdict(verdicts.filter((one): one is Verdict => one !== null));

/** A text that pays something else than the fields name excludes its question; another reason to exclude it comes first. */
export const excludedBy = (payoff: Verdict, other: Exclusion | null): Exclusion | null =>
  other ?? (payoff.result === 'contradicts' ? 'payoff_contradicted' : null);

/** A text in which no sentence pays what the fields name is an unread one: the pair stays a candidate. */
export const termsWith = (terms: Terms, payoff: Verdict): Terms =>
  payoff.result === 'not_found' && terms.rules === 'read' ? { ...terms, rules: 'unread' } : terms;

/** Evidence of a contradiction, for operators; nothing where there is none. */
export const whyOf = (payoff: Verdict): { [key: string]: Json } =>
  payoff.result === 'contradicts' ? { detail: `the text or title pays something else: ${payoff.why ?? ''}` } : {};
