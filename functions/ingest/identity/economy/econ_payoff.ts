import { findNegation, payoffOfText } from '../terms/payoff_terms.ts';
import { type PayoffResult, worstOf } from '../text/payoff.ts';
import type { Band } from './econ_band.ts';
import { parseSubject } from './econ_subject.ts';
import { type EconTermsInput, namesMeasure, namesPeriod } from './econ_terms.ts';

/**
 * Checks whether the contracts of a print pay what the listing asks. A payoff sentence must not
 * name another indicator, basis, period or comparison, and must name at least one of them.
 */

const NEGATED_COMPARISON =
  /(?:\b(?:not|never|fails? to)\b|n[’']t\b)(?: [\w’']+){0,3}? (?:above|below|over|under|more|less|greater|higher|lower|exceed|exactly|equal|be|reach|rise|fall|increase|decrease|add|between)/i;
const UP = /\b(?:above|over|exceeds?|(?:more|greater|higher) than|at least)(?= \$?-?\d)/i;
const DOWN = /\b(?:below|under|(?:less|fewer|lower) than|at most)(?= \$?-?\d)/i;

/** Whether a sentence compares in another direction than the contract. */
function hasOtherComparison(condition: string, band: Band): boolean {
  const up = band.comparison === 'above' || band.comparison === 'at_or_above';
  const down = band.comparison === 'below' || band.comparison === 'at_or_below';
  if (band.comparison === 'within') return false;
  return (UP.test(condition) && !up) || (DOWN.test(condition) && !down);
}

const CORE = /\bcore\b|(?:less|excluding|without|ex) food/i;
const whole = (indicator: string): string => indicator.replace(/^core_/, '');

function checkCondition(condition: string, expected: EconTermsInput, band: Band | null): PayoffResult {
  const { indicators } = parseSubject(condition);
  const own = [...indicators].some((one) => whole(one) === whole(expected.indicator));
  const [period, measure] = [namesPeriod(condition, expected.period), namesMeasure(condition, expected)];
  if (NEGATED_COMPARISON.test(condition) || period === false || measure === false) return 'contradicts';
  if (indicators.size > 0 && !own) return 'contradicts';
  if (band !== null && hasOtherComparison(condition, band)) return 'contradicts';
  // "Consumer Price Index" alone, under a title that asks for the core index, does not state which
  // of the two it pays.
  if (expected.indicator.startsWith('core_') && indicators.size > 0 && !CORE.test(condition)) return 'not_found';
  return own || period === true || measure === true ? 'agrees' : 'not_found';
}

/**
 * One contract with its own words. `band` is null when its figures could not be parsed, or when the
 * text is that of the whole print.
 */
export type PrintText = { titles: readonly (string | null)[]; text: string | null; band: Band | null };

export function payoffOfPrint(
  title: string | null,
  contracts: readonly PrintText[],
  expected: EconTermsInput,
): PayoffResult {
  const isInverted = (text: string | null): boolean => text !== null && findNegation(text) !== null;
  if (isInverted(title)) return 'contradicts';
  return worstOf(
    contracts.flatMap(({ titles, text, band }): PayoffResult[] => {
      if (titles.some(isInverted)) return ['contradicts'];
      return text === null ? [] : [payoffOfText(text, (condition) => checkCondition(condition, expected, band))];
    }),
  );
}
