import type { Json } from '../../listing.ts';
import { allAgree, worstRulesState } from '../terms/terms.ts';
import { parseMonth } from '../text/eastern.ts';
import { banksNamed } from './decision_statement.ts';

/**
 * Bank and month (YYYY-MM) in the fields of the listing, and its open-ended choices in its own
 * words.
 */
export type DecisionTermsInput = { bank: string; month: string | null; outer: string | null };

/**
 * Parses the settlement terms of a rate decision on which two venues may differ. `texts` holds the
 * text of every contract. A term that the text does not mention is null.
 */
export function decisionTerms(
  rules: string | null,
  texts: readonly string[],
  sources: readonly string[],
  decided: DecisionTermsInput,
): { [term: string]: Json } {
  if (rules === null) return { rules: 'none', sources: [...sources] };
  return {
    rules: worstRulesState(texts),
    cancelled: onNoDecision(rules),
    rounding: /round(?:ed|s)? up to the nearest 25/i.test(rules) ? 'up_to_25' : null,
    announcement: countsFrom(rules),
    emergency: emergency(rules),
    rate: rateOf(rules),
    outer: decided.outer,
    fields_agree: allAgree(texts.flatMap((text) => [namesMonth(text, decided.month), namesBank(text, decided.bank)])),
    sources: [...sources],
  };
}

const MONTH = '(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?';
const DATED = new RegExp(
  `\\b${MONTH}(?: \\d{1,2})?(?: ?(?:-|–|—|to|and) ?(?:${MONTH} )?\\d{1,2})?,? (20\\d\\d)\\b`,
  'gi',
);

/**
 * Whether the text names the month of the meeting. Null when it names no month with a year.
 * "January 31 - February 1, 2023" names two.
 */
export function namesMonth(rules: string, month: string | null): boolean | null {
  const named = [...rules.matchAll(DATED)].flatMap((match) =>
    [match[1], match[2]].flatMap((name) => {
      const number = parseMonth(name ?? '');
      return number === null ? [] : [`${match[3]}-${String(number).padStart(2, '0')}`];
    }),
  );
  return month === null || named.length === 0 ? null : named.includes(month);
}

/** Whether the text names the bank. Null when it names none. */
export function namesBank(rules: string, bank: string): boolean | null {
  const named = banksNamed(rules);
  return named.size === 0 ? null : named.has(bank);
}

/** Returns what happens when a meeting is cancelled or ends without a statement. */
function onNoDecision(rules: string): string | null {
  const about = sentences(rules).filter((one) =>
    /cancel+ed|postponed|without a (?:statement|decision)|no (?:statement|decision|announcement)|not (?:be )?(?:held|take place|meet)|does not (?:meet|occur)/i.test(
      one,
    ),
  );
  for (const one of about) {
    if (/"?no change"?|(?:hike|cut) (?:of )?0 ?b|0 ?bps|\bmaintain|\bholds?\b/i.test(one)) return 'no_change';
    if (/fair (?:market )?(?:price|value)/i.test(one)) return 'fair_price';
    if (/50[-/ ]50/.test(one)) return 'split';
    if (/resolves? to "?no\b/i.test(one)) return 'no';
  }
  return null;
}

/** Returns whether the decision counts when it is announced or when the new rate takes effect. */
function countsFrom(rules: string): string | null {
  const effective = /\b(?:takes? effect|comes? into (?:effect|force)|effective (?:date|as of|from))\b/i.test(rules);
  const announced = /\b(?:announc\w+|statement|press release)\b/i.test(rules);
  if (effective && !announced) return 'effective';
  return announced && !effective ? 'announced' : null;
}

function emergency(rules: string): string | null {
  const about = sentences(rules).find((one) => /emergency|unscheduled|inter-?meeting/i.test(one));
  if (about === undefined) return null;
  return /\bnot\b|\bonly\b|exclud|disregard|ignor/i.test(about) ? 'excluded' : 'included';
}

const RATES: readonly (readonly [string, RegExp])[] = [
  ['federal_funds_upper_bound', /upper bound/i],
  ['deposit_facility', /deposit facility/i],
  ['main_refinancing', /main refinancing/i],
  ['bank_rate', /\bbank rate\b/i],
  ['overnight_target', /target for the overnight rate|overnight (?:rate )?target/i],
  ['overnight_call', /overnight call rate/i],
  ['selic', /\bselic\b/i],
  ['cash_rate', /\bcash rate\b/i],
  ['repo', /\brepo rate\b/i],
];

/** Returns which rate of the bank decides. Null when the text names none or several. */
function rateOf(rules: string): string | null {
  const named = RATES.filter(([, pattern]) => pattern.test(rules));
  return named.length === 1 ? (named[0]?.[0] ?? null) : null;
}

const sentences = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n+/);
